#include "server_bench/server.h"

#include <algorithm>

#include "base/error.h"
#include "base/text_format.h"
#include "server_bench/json_fields.h"
#include "server_bench/requests.h"

namespace pleiad::server_bench {
namespace {

constexpr const char* kOllamaChat = "/api/chat";
constexpr const char* kOpenAiChat = "/v1/chat/completions";

/// The list of objects below `key`; what is no list or no object is an Error.
std::vector<Json> objects(const Json& answer, const char* key) {
  std::vector<Json> list;
  const auto found = answer.find(key);
  if (found == answer.end() || found->is_null()) return list;
  if (!found->is_array()) throw Error("{}: expected a list of models", key);
  for (const Json& entry : *found) {
    if (!entry.is_object()) throw Error("{}: expected objects", key);
    list.push_back(entry);
  }
  return list;
}

/// What a 200 carries where it is an object; null otherwise.
Json object_of(const client::HttpAnswer& answer) {
  if (answer.status != 200) return nullptr;
  Json json = Json();
  try {
    json = parse_json(answer.body, "the answer");
  } catch (const Error&) {
    return nullptr;
  }
  return json.is_object() ? json : Json();
}

bool is_pleiad(const client::HttpAnswer& answer) { return answer.server.starts_with("pleiad"); }

std::optional<ServerInfo> find_ollama(Connection& connection) {
  const client::HttpAnswer answer = connection.ask("GET", "/api/version");
  const Json version = object_of(answer);
  if (version.is_null() || !version.contains("version")) return std::nullopt;
  if (answer.server.starts_with("llama.cpp")) return std::nullopt;  // it has a part of Ollama's API
  const bool ours = is_pleiad(answer);
  return ServerInfo{Api::ollama, ours ? Product::pleiad : Product::ollama,
                    fmt::format("{} {}", ours ? "Pleiad" : "Ollama",
                                printable(find_text(version, ours ? "pleiad" : "version"), 40))};
}

/// By what only one of them has.
ServerInfo openai_info(Connection& connection, const client::HttpAnswer& listed,
                       const Json& models) {
  if (is_pleiad(listed)) return {Api::openai, Product::pleiad, "Pleiad"};
  std::string owner;
  for (const Json& model : objects(models, "data")) owner = find_text(model, "owned_by");
  if (owner == "vllm") return {Api::openai, Product::vllm, "vLLM"};
  const Json props = object_of(connection.ask("GET", "/props"));
  if (props.is_object() && props.contains("default_generation_settings")) {
    const std::string build = printable(find_text(props, "build_info"), 40);
    return {Api::openai, Product::llama_cpp,
            build.empty() ? "llama-server" : "llama-server " + build};
  }
  return {Api::openai, Product::other, "a server with OpenAI's API"};
}

std::optional<ServerInfo> find_openai(Connection& connection) {
  const client::HttpAnswer answer = connection.ask("GET", "/v1/models");
  const Json models = object_of(answer);
  if (models.is_null() || !models.contains("data")) return std::nullopt;
  return openai_info(connection, answer, models);
}

}  // namespace

bool is_same_model(const std::string& a, const std::string& b) {
  const auto full = [](const std::string& name) {
    return name.find(':', name.rfind('/') + 1) == std::string::npos ? name + ":latest" : name;
  };
  return full(a) == full(b);
}

Server Server::connect(std::unique_ptr<Connection> connection, std::optional<Api> api) {
  std::optional<ServerInfo> info;
  if (api != Api::openai) info = find_ollama(*connection);
  if (!info && api != Api::ollama) info = find_openai(*connection);
  if (info) return Server(std::move(connection), *info, false);
  // Asked once more for the reason: a key, say.
  const char* path = api == Api::ollama ? "/api/version" : "/v1/models";
  const Json answer = connection->ask_json("GET", path);
  throw Error("GET {}{}: this is no server with {} API: found {}", connection->address(), path,
              api ? (*api == Api::ollama ? "Ollama's" : "OpenAI's") : "Ollama's or OpenAI's",
              printable(to_text(answer)));
}

LengthControl Server::length_control() const {
  if (refuses_extras_ || info_.product == Product::ollama) return LengthControl::none;
  return info_.product == Product::other ? LengthControl::requested : LengthControl::forced;
}

double Server::way_seconds() {
  constexpr int kTimes = 5;
  double least = 0;
  for (int i = 0; i < kTimes; ++i) {
    const double began = now();
    connection_->ask("GET", manages_models() ? "/api/version" : "/v1/models");
    const double took = now() - began;
    least = i == 0 ? took : std::min(least, took);
  }
  return least;
}

std::vector<std::string> Server::models() {
  std::vector<std::string> names;
  const bool ollama = info_.api == Api::ollama;
  const Json listed = connection_->ask_json("GET", ollama ? "/api/tags" : "/v1/models");
  for (const Json& model : objects(listed, ollama ? "models" : "data")) {
    names.push_back(printable(find_text(model, ollama ? "name" : "id"), 200));
  }
  return names;
}

std::optional<std::vector<RunningModel>> Server::running() {
  if (!manages_models()) return std::nullopt;
  std::vector<RunningModel> running;
  for (const Json& model : objects(connection_->ask_json("GET", "/api/ps"), "models")) {
    running.push_back({find_text(model, "name"), find_count(model, "context_length")});
  }
  return running;
}

void Server::unload(const std::string& model) {
  connection_->ask_json("POST", "/api/generate", ollama_unload(model));
}

void Server::load(const std::string& model, const AskOptions& options) {
  connection_->ask_json("POST", "/api/generate", ollama_load(model, options));
}

std::optional<std::int64_t> Server::context_length(const std::string& model) {
  if (info_.product == Product::llama_cpp) {
    const Json props = connection_->ask_json("GET", "/props");
    const Json* settings = find_object(props, "default_generation_settings");
    return settings ? find_count(*settings, "n_ctx") : std::nullopt;
  }
  if (!manages_models()) return std::nullopt;
  const std::optional<std::vector<RunningModel>> loaded = running();
  for (const RunningModel& one : *loaded) {
    if (is_same_model(one.name, model)) return one.context_length;
  }
  return std::nullopt;
}

Answer Server::ask(const std::string& model, const std::string& prompt, std::int64_t n_tokens,
                   const AskOptions& options,
                   const std::function<void(std::int64_t n_pieces)>& on_piece) {
  const bool ollama = info_.api == Api::ollama;
  for (;;) {
    const bool with_extras = !refuses_extras_;
    const Json body = ollama ? ollama_question(model, prompt, n_tokens, options)
                             : openai_question(info_.product, model, prompt, n_tokens, with_extras);
    AnswerReader reader(info_.api);
    double last = 0;
    const client::HttpAnswer answer = connection_->stream(
        ollama ? kOllamaChat : kOpenAiChat, body, [&](std::string_view line, double seconds) {
          const std::int64_t before = reader.n_pieces();
          reader.take(line, seconds);
          last = seconds;
          if (on_piece && reader.n_pieces() > before) on_piece(reader.n_pieces());
        });
    if (answer.status == 200) return reader.finish(last);
    if (!ollama && with_extras && (answer.status == 400 || answer.status == 422)) {
      refuses_extras_ = true;  // and once more without them
      continue;
    }
    throw Error("{}: {}", printable(model, 200), answer.body);
  }
}

}  // namespace pleiad::server_bench
