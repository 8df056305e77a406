#include "server_bench/testing/fake_server.h"

#include <algorithm>
#include <cmath>

#include "server_bench/words.h"

namespace pleiad::server_bench::testing {
namespace {

constexpr const char* kModel = "a:latest";

client::HttpAnswer answer_of(const Json& json) { return {200, "fake", to_text(json)}; }

std::int64_t nanoseconds(double seconds) { return std::llround(seconds * 1e9); }

class FakeConnection final : public Connection {
 public:
  explicit FakeConnection(std::shared_ptr<FakeServer> server)
      : server_(std::move(server)), company_(server_->next_connection()) {}

  client::HttpAnswer ask(const std::string& method, const std::string& path,
                         const Json& body) override {
    now_ += server_->behaviour().speed.way;
    return method == "GET" ? server_->get(path) : server_->post(path, body);
  }

  client::HttpAnswer stream(const std::string& /*path*/, const Json& body,
                            const std::function<void(std::string_view, double)>& on_line) override {
    std::vector<FakeServer::Line> lines;
    const int status = server_->chat(body, company_, lines);
    if (status != 200) return {status, "fake", "no"};
    for (const FakeServer::Line& line : lines) on_line(line.text, line.seconds);
    // Those who ask at the same time begin at the same time.
    now_ = company_ == 0 ? now_ + lines.back().seconds : 1000.0 * ++n_chats_;
    return {200, "fake", ""};
  }

  double now() const override { return now_; }
  std::unique_ptr<Connection> another() const override { return fake_connection(server_); }
  const std::string& address() const override { return address_; }

 private:
  std::shared_ptr<FakeServer> server_;
  int company_;
  double now_ = 0;
  int n_chats_ = 0;
  std::string address_ = "http://fake";
};

}  // namespace

void Draft::delay(double seconds) {
  for (Part& part : parts) part.seconds += seconds;
  first += seconds;
}

const char* name(Dialect dialect) {
  switch (dialect) {
    case Dialect::ollama:
      return "ollama";
    case Dialect::llama_server:
      return "llama_server";
    case Dialect::openai:
      break;
  }
  return "openai";
}

std::int64_t count_words(std::string_view text) {
  std::int64_t n = 0;
  bool in_word = false;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\n';
    n += !blank && !in_word;
    in_word = !blank;
  }
  return n;
}

client::HttpAnswer FakeServer::get(const std::string& path) {
  const bool ollama = dialect_ == Dialect::ollama;
  if (path == "/api/version" && ollama) return answer_of({{"version", "0.99"}});
  if (path == "/api/tags" && ollama) {
    return answer_of({{"models", {{{"name", kModel}}, {{"name", "b:latest"}}}}});
  }
  if (path == "/api/ps" && ollama) {
    Json models = Json::array();
    if (loaded_ && !behaviour_.running) {
      models.push_back({{"name", kModel}, {"context_length", context_}});
    }
    if (loaded_ && behaviour_.running) {
      for (const auto& [model, context] : *behaviour_.running) {
        models.push_back({{"name", model}, {"context_length", context}});
      }
    }
    return answer_of({{"models", models}});
  }
  if (path == "/v1/models" && !ollama) {
    return answer_of({{"data", {{{"id", "a"}}, {{"id", "b"}}}}});
  }
  if (path == "/props" && dialect_ == Dialect::llama_server) {
    return answer_of({{"build_info", "b1"}, {"default_generation_settings", {{"n_ctx", 4096}}}});
  }
  return {404, "fake", R"({"error":"not found"})"};
}

client::HttpAnswer FakeServer::post(const std::string& path, const Json& body) {
  if (path != "/api/generate") return {404, "fake", R"({"error":"not found"})"};
  loaded_ = body.value("keep_alive", Json()) != 0;
  return answer_of({{"done", true}});
}

/// As fast as the machine is, every token by itself.
Draft FakeServer::honest(const Asked& asked) const {
  const Speed& speed = behaviour_.speed;
  Draft draft;
  draft.model = dialect_ == Dialect::ollama ? kModel : "a";
  draft.prompt_tokens = kTemplate + count_words(asked.prompt);
  draft.generated_tokens = asked.n_wanted;
  std::int64_t computed = draft.prompt_tokens;
  if (behaviour_.cache) {
    draft.cached_tokens = asked.repeated ? draft.prompt_tokens - 1 : kTemplate;
    computed -= *draft.cached_tokens;
  }
  draft.prompt_seconds = static_cast<double>(computed) * speed.prompt_token;
  draft.generation_seconds = static_cast<double>(asked.n_wanted) * speed.token;
  draft.first = speed.way + draft.prompt_seconds;
  const auto lexicon = words();
  const std::size_t seed = std::hash<std::string>()(asked.prompt);
  for (std::int64_t i = 0; i < asked.n_wanted; ++i) {
    const auto nth = static_cast<std::size_t>(i);
    draft.parts.push_back({draft.first + static_cast<double>(i) * speed.token,
                           std::string(lexicon[(seed + 7 * nth) % lexicon.size()]) + " "});
  }
  return draft;
}

int FakeServer::chat(const Json& body, int company, std::vector<Line>& lines) {
  const std::scoped_lock lock(mutex_);
  Asked asked;
  asked.prompt = body["messages"][0]["content"].get<std::string>();
  asked.n_wanted = dialect_ == Dialect::ollama ? body["options"]["num_predict"].get<std::int64_t>()
                                               : body["max_tokens"].get<std::int64_t>();
  asked.company = company;
  asked.nth = static_cast<int>(std::count(wanted_.begin(), wanted_.end(), asked.n_wanted));
  asked.repeated = !seen_.insert(asked.prompt).second;
  wanted_.push_back(asked.n_wanted);
  Draft draft = honest(asked);
  if (behaviour_.bend) behaviour_.bend(asked, draft);
  lines = dialect_ == Dialect::ollama ? ollama_lines(draft) : openai_lines(draft);
  return draft.status;
}

std::vector<FakeServer::Line> FakeServer::ollama_lines(const Draft& draft) const {
  std::vector<Line> lines;
  for (const Draft::Part& part : draft.parts) {
    const Json message = {{part.thought ? "thinking" : "content", part.text}};
    lines.push_back({part.seconds, to_text(Json{{"model", draft.model}, {"message", message}})});
  }
  Json last = {{"model", draft.model},
               {"message", {{"content", ""}}},
               {"done", true},
               {"done_reason", draft.reason},
               {"prompt_eval_count", draft.prompt_tokens},
               {"eval_count", draft.generated_tokens},
               {"prompt_eval_duration", nanoseconds(draft.prompt_seconds)},
               {"eval_duration", nanoseconds(draft.generation_seconds)},
               {"load_duration", nanoseconds(draft.load_seconds)}};
  if (draft.cached_tokens) last["prompt_eval_cached_count"] = *draft.cached_tokens;
  lines.push_back({draft.end(), to_text(last)});
  return lines;
}

std::vector<FakeServer::Line> FakeServer::openai_lines(const Draft& draft) const {
  std::vector<Line> lines;
  const auto add = [&](double seconds, Json chunk) {
    chunk["model"] = draft.model;
    lines.push_back({seconds, "data: " + to_text(chunk)});
  };
  const auto choices = [](const Json& delta) { return Json::array({{{"delta", delta}}}); };
  for (const Draft::Part& part : draft.parts) {
    const char* key = part.thought ? "reasoning_content" : "content";
    add(part.seconds, {{"choices", choices({{key, part.text}})}});
  }
  Json usage = {{"prompt_tokens", draft.prompt_tokens},
                {"completion_tokens", draft.generated_tokens}};
  if (draft.cached_tokens) {
    usage["prompt_tokens_details"] = {{"cached_tokens", *draft.cached_tokens}};
  }
  if (draft.thinking_tokens) {
    usage["completion_tokens_details"] = {{"reasoning_tokens", *draft.thinking_tokens}};
  }
  Json last = {
      {"choices", Json::array({{{"delta", Json::object()}, {"finish_reason", draft.reason}}})},
      {"usage", usage}};
  if (dialect_ == Dialect::llama_server) {
    last["timings"] = {{"prompt_ms", draft.prompt_seconds * 1e3},
                       {"predicted_ms", draft.generation_seconds * 1e3}};
  }
  add(draft.end(), last);
  lines.push_back({draft.end(), "data: [DONE]"});
  return lines;
}

std::unique_ptr<Connection> fake_connection(std::shared_ptr<FakeServer> server) {
  return std::make_unique<FakeConnection>(std::move(server));
}

}  // namespace pleiad::server_bench::testing
