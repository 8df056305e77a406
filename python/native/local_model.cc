#include "local_model.h"

#include <nanobind/nanobind.h>
#include <unistd.h>

#include <limits>
#include <utility>
#include <variant>

#include "api/common/request_error.h"
#include "api/common/request_json.h"
#include "api/openai/chat_request.h"
#include "api/openai/completion_request.h"
#include "apps/common/model_flags.h"
#include "apps/common/model_location.h"
#include "apps/common/version.h"
#include "backend/cpu/cpu_backend.h"
#include "base/available_memory.h"
#include "base/file_changed_error.h"
#include "base/json.h"
#include "calls.h"
#include "check.h"
#include "errors.h"
#include "serving/answers/answer_prompt.h"
#include "serving/pool/engine_runtime.h"
#include "serving/request_error.h"
#include "surroundings.h"
#include "wait.h"

namespace pleiad::python {

namespace nb = nanobind;

namespace {

/// Ends loading; told to nobody.
class GivenUp : public Error {
 public:
  GivenUp() : Error("given up") {}
};

/// Loads as EngineLoader does, until it shall not go on.
class StoppableLoader final : public serving::RuntimeLoader {
 public:
  StoppableLoader(const EngineOptions& options, serving::BackendFactory make_backend,
                  const std::optional<gemma4::OnlineOptions>& online,
                  const std::atomic<bool>& gives_up)
      : loader_(options, std::move(make_backend), online), gives_up_(gives_up) {}

  serving::MemoryNeed need(const store::ModelEntry& entry) override { return loader_.need(entry); }
  std::unique_ptr<serving::ModelRuntime> load(const store::ModelEntry& entry,
                                              std::uint64_t kv_bytes,
                                              const LoadProgress& progress) override {
    return loader_.load(entry, kv_bytes, [&](std::uint64_t done, std::uint64_t total) {
      if (gives_up_) throw GivenUp();
      progress(done, total);
    });
  }

 private:
  serving::EngineLoader loader_;
  const std::atomic<bool>& gives_up_;
};

/// What comes of a callback, for who waits for it.
template <typename T>
class Outcome {
 public:
  serving::Callback<T> callback() {
    return [state = state_](std::variant<T, serving::ServiceError> outcome) {
      const std::lock_guard lock(state->mutex);
      state->outcome = std::move(outcome);
      state->changed.notify_all();
    };
  }
  /// As wait_until(); throws ServiceFailure.
  T wait() {
    wait_until(state_->mutex, state_->changed, [this] { return state_->outcome.has_value(); });
    const std::lock_guard lock(state_->mutex);
    if (auto* error = std::get_if<serving::ServiceError>(&*state_->outcome)) {
      throw ServiceFailure(*error);
    }
    return std::get<T>(std::move(*state_->outcome));
  }
  /// The same for so many seconds; false where nothing came.
  bool wait_for(double seconds) {
    const nb::gil_scoped_release release;
    std::unique_lock lock(state_->mutex);
    return state_->changed.wait_for(lock, std::chrono::duration<double>(seconds),
                                    [this] { return state_->outcome.has_value(); });
  }

 private:
  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    std::optional<std::variant<T, serving::ServiceError>> outcome;
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

std::optional<gemma4::OnlineOptions> online_of(const LoadSettings& settings) {
  if (!settings.online) return std::nullopt;
  return apps::online_options(online_type_of(*settings.online), settings.threads);
}

EngineOptions engine_options(const LoadSettings& settings) {
  constexpr std::int64_t kLongest = std::int64_t{1} << 30;
  EngineOptions options;
  options.kv_type = named("kv_type", settings.kv_type, apps::kv_types());
  options.context_length =
      within("context_length", settings.context_length, std::int64_t{0}, kLongest);
  options.max_running = within("parallel", settings.parallel, 1, 512);
  options.kv_bytes = settings.kv_bytes;
  return options;
}

serving::PoolOptions pool_options(const LoadSettings& settings) {
  serving::PoolOptions options;
  options.memory_bytes = available_memory() / 10 * 8;
  options.kv_bytes = settings.kv_bytes;
  options.max_loaded_models = 1;
  options.keep_alive_seconds = std::numeric_limits<double>::infinity();
  return options;
}

/// The model's own name is not asked for, and what only a server can do is refused.
Json read_body(const std::string& text) {
  Json body = parse_json(text, "the request");
  body["model"] = "model";
  if (body.contains("keep_alive")) {
    throw api::RequestError("keep_alive", "a model stays until it is closed; leave this out");
  }
  return body;
}

void refuse_choices(int n_choices) {
  if (n_choices != 1) {
    throw api::RequestError("n", "one answer comes of one call; call it several times, with seeds");
  }
}

struct ReadRequest {
  serving::AnswerRequest request;
  std::vector<std::string> warnings;
};

/// `format` is no field of OpenAI's: "json", or a schema. Takes it out of the body; null where
/// there is none.
Json take_format(Json& body) {
  const auto found = body.find("format");
  if (found == body.end()) return nullptr;
  Json format = std::move(*found);
  body.erase(found);
  if (!format.is_null() && !format.is_object() && format != "json") {
    throw api::RequestError("format", fmt::format("expected \"json\" or a JSON schema, which is an "
                                                  "object, found {}",
                                                  api::describe(format)));
  }
  return format;
}

void set_format(serving::AnswerRequest& request, Json format) {
  if (format.is_null()) return;
  if (request.format && !request.format->is_null()) {
    throw api::RequestError("format",
                            fmt::format("beside {}; give one of them", request.format_path));
  }
  request.format = std::move(format);
  request.format_path = "format";
}

ReadRequest read_chat(const std::string& body) {
  Json fields = read_body(body);
  Json format = take_format(fields);
  api::openai::ChatRequest read = api::openai::read_chat_request(fields, api::SpareFields::refuse);
  refuse_choices(read.n_choices);
  if (!read.custom_tools.empty()) {
    throw api::RequestError("tools", "expected functions, found a custom tool");
  }
  set_format(read.answer, std::move(format));
  return {std::move(read.answer), std::move(read.warnings)};
}

}  // namespace

struct LocalModel::Media {
  media::MediaReader reader;
  media::DocumentReader documents;

  explicit Media(const LoadSettings& settings)
      : reader(helper_of(settings.helper, "media-helper"), {}),
        documents(helper_of(settings.helper, "document-converter"), {}) {}

  serving::MediaTools tools() {
    serving::MediaTools tools;
    tools.prepare_picture = [this](auto&&... all) { return reader.prepare_picture(all...); };
    tools.prepare_sound = [this](auto&&... all) { return reader.prepare_sound(all...); };
    tools.prepare_video = [this](auto&&... all) { return reader.prepare_video(all...); };
    tools.read_document = [this](auto&&... all) { return documents.read(all...); };
    return tools;
  }
};

LocalModel::LocalModel(const LoadSettings& settings, const OnLoading& on_loading)
    : owner_(::getpid()) {
  const EngineOptions engine = engine_options(settings);
  const auto online = online_of(settings);
  cpu::CpuOptions cpu;
  cpu.n_threads = within("threads", settings.threads, 0, 1024);
  if (settings.activations) {
    cpu.activations = named("activations", *settings.activations, apps::activation_forms());
  }
  const apps::Environment environment = environment_of(settings.package);
  cpu.isa = environment.isa;
  {
    const nb::gil_scoped_release release;  // a folder of models may be long
    entry_ = apps::find_model_entry(settings.model, environment);
  }
  if (!settings.projector.empty()) entry_.projector = settings.projector;
  media_ = std::make_unique<Media>(settings);

  serving::ModelServiceOptions options;
  options.pool = pool_options(settings);
  options.version = apps::program_version();
  serving::ModelService::Parts parts;
  parts.find = [this](const std::string&) -> Result<store::ModelEntry> { return entry_; };
  parts.loader = std::make_unique<StoppableLoader>(
      engine,
      [this, cpu](std::int64_t max_rows) {
        cpu::CpuOptions of_rows = cpu;
        of_rows.max_rows = max_rows;
        auto backend = std::make_unique<cpu::CpuBackend>(of_rows);
        backend_ = backend->description();
        return backend;
      },
      online, gives_up_);
  parts.load_tokenizer = serving::load_lone_tokenizer;
  parts.media = media_->tools();
  {
    const nb::gil_scoped_release release;
    service_ = std::make_unique<serving::ModelService>(options, std::move(parts));
  }
  try {
    load(on_loading);
  } catch (...) {
    gives_up_ = true;
    close();
    throw;
  }
}

LocalModel::~LocalModel() { close(); }

void LocalModel::load(const OnLoading& on_loading) {
  constexpr double kTellSeconds = 0.05;
  Outcome<serving::Service::Loaded> loaded;
  service().load(entry_.name, serving::KeepAlive{std::numeric_limits<double>::infinity()},
                 loaded.callback());
  std::uint64_t total = 0;
  while (!loaded.wait_for(kTellSeconds)) {
    check_signals();
    if (!on_loading) continue;
    for (const serving::LoadedInfo& info : service().loaded()) {
      if (info.total_bytes == 0) continue;
      total = info.total_bytes;
      on_loading(info.loaded_bytes, total);
    }
  }
  loaded.wait();
  if (!on_loading) return;
  // The end is told as well, even where nothing was before it.
  if (total == 0) {
    for (const serving::LoadedInfo& info : service().loaded()) total = info.total_bytes;
  }
  on_loading(total, total);
}

serving::ModelService& LocalModel::service() const {
  if (owner_ != ::getpid()) {
    throw ClosedError(
        "this model was loaded before the process was forked, and its threads stayed there; load "
        "it "
        "in this process, or start processes with multiprocessing's \"spawn\"");
  }
  if (!service_) throw ClosedError("this model was closed");
  return *service_;
}

serving::ModelPool::Lease LocalModel::lease() {
  if (auto found = service().find_loaded(entry_.name)) return found;
  load({});  // its file was changed: anew
  if (auto found = service().find_loaded(entry_.name)) return found;
  throw LoadError("{}: was changed while it was loaded", entry_.path.string());
}

std::unique_ptr<Answer> LocalModel::start(serving::AnswerRequest request,
                                          std::vector<std::string> warnings) {
  serving::ModelService& service = this->service();
  auto queue = std::make_shared<AnswerQueue>(std::move(warnings));
  auto ticket = service.answer(std::move(request), queue);
  return std::make_unique<Answer>(std::move(queue), std::move(ticket));
}

std::unique_ptr<Answer> LocalModel::chat(const std::string& body) {
  ReadRequest read = read_chat(body);
  return start(std::move(read.request), std::move(read.warnings));
}

std::unique_ptr<Answer> LocalModel::complete(const std::string& body) {
  Json fields = read_body(body);
  Json format = take_format(fields);
  api::openai::CompletionRequest read =
      api::openai::read_completion_request(fields, api::SpareFields::refuse);
  set_format(read.answer, std::move(format));
  refuse_choices(read.n_choices);
  if (read.echo) throw api::RequestError("echo", "the prompt is at hand; leave this out");
  std::vector<serving::AnswerRequest> requests = read.answers();
  if (requests.size() != 1) {
    throw api::RequestError(
        "prompt",
        fmt::format("expected one text or one list of tokens, found {}", requests.size()));
  }
  return start(std::move(requests.front()), std::move(read.warnings));
}

std::string LocalModel::render(const std::string& body) {
  ReadRequest read = read_chat(body);
  Outcome<serving::Service::Rendering> rendered;
  const auto ticket = service().render(std::move(read.request), rendered.callback());
  return rendered.wait().text;
}

serving::EmbedResult LocalModel::embed(std::vector<std::string> texts,
                                       std::optional<int> dimensions, bool truncate) {
  serving::EmbedRequest request;
  request.model = entry_.name;
  request.inputs = std::move(texts);
  request.dimensions = dimensions;
  request.truncate = truncate;
  Outcome<serving::EmbedResult> embedded;
  const auto ticket = service().embed(std::move(request), embedded.callback());
  try {
    return embedded.wait();
  } catch (const nb::python_error&) {
    ticket->cancel();
    throw;
  }
}

void LocalModel::compute_logits(const std::vector<std::int32_t>& tokens, bool last_only,
                                const TakeLogits& take, const std::function<void()>& between) {
  try {
    compute_leased_logits(tokens, last_only, take, between);
  } catch (const FileChangedError&) {
    service().unload_file(entry_.path);  // the next call loads it anew
    throw;
  }
}

void LocalModel::compute_leased_logits(const std::vector<std::int32_t>& tokens, bool last_only,
                                       const TakeLogits& take,
                                       const std::function<void()>& between) {
  const serving::ModelPool::Lease held = lease();
  serving::ModelRuntime& runtime = held->runtime();
  serving::check_tokens(runtime.prompt_model().tokenizer->vocabulary(), tokens, "tokens");
  if (std::cmp_greater(tokens.size(), runtime.context_length())) {
    throw serving::RequestError({serving::ServiceError::Code::context_exceeded,
                                 fmt::format("{} tokens were given and the context holds {}",
                                             tokens.size(), runtime.context_length()),
                                 "tokens", static_cast<std::int64_t>(tokens.size()),
                                 runtime.context_length()});
  }
  const nb::gil_scoped_release release;
  runtime.compute_logits(tokens, last_only ? WantLogits::last : WantLogits::all, take, between);
}

std::vector<std::int32_t> LocalModel::tokenize(const std::string& text, bool control, bool bos) {
  const serving::ModelPool::Lease held = lease();
  const text::Tokenizer& tokenizer = *held->runtime().prompt_model().tokenizer;
  std::vector<std::int32_t> tokens;
  if (bos) {
    const auto token = tokenizer.vocabulary().bos();
    if (!token) throw LoadError("{}: its tokenizer has no <bos>", entry_.path.string());
    tokens.push_back(*token);
  }
  const nb::gil_scoped_release release;
  const auto of_text = control ? tokenizer.encode_with_control(text) : tokenizer.encode_text(text);
  tokens.insert(tokens.end(), of_text.begin(), of_text.end());
  return tokens;
}

std::string LocalModel::detokenize(const std::vector<std::int32_t>& tokens, bool control) {
  const serving::ModelPool::Lease held = lease();
  const text::Tokenizer& tokenizer = *held->runtime().prompt_model().tokenizer;
  for (const std::int32_t token : tokens) {
    if (tokenizer.vocabulary().contains(token)) continue;
    throw api::RequestError("tokens", fmt::format("there is no token {}: expected 0 to {}", token,
                                                  tokenizer.vocabulary().size() - 1));
  }
  return control ? tokenizer.decode_with_control(tokens) : tokenizer.decode(tokens);
}

LocalModel::Facts LocalModel::facts() {
  const serving::ModelPool::Lease held = lease();
  const serving::ModelRuntime& runtime = held->runtime();
  Facts facts;
  facts.name = entry_.name;
  facts.path = entry_.path.string();
  facts.context_length = runtime.context_length();
  facts.vocab_size = static_cast<std::int64_t>(runtime.vocab_size());
  facts.embedding_length = runtime.model_dim();
  facts.sees = runtime.prompt_model().towers.vision.sees();
  facts.hears = runtime.prompt_model().towers.audio.hears();
  facts.description = backend_;
  for (const serving::LoadedInfo& info : service().loaded()) facts.memory_bytes = info.memory_bytes;
  return facts;
}

EngineStats LocalModel::stats() { return lease()->runtime().stats(); }

void LocalModel::close() {
  if (!service_) return;
  const ClosingCall call;
  if (owner_ != ::getpid()) {
    // The threads that this would wait for are in the process that was forked.
    (void)service_.release();
    (void)media_.release();
    return;
  }
  const nb::gil_scoped_release release;
  std::unique_ptr<serving::ModelService> leaving = std::move(service_);
  leaving.reset();
  media_.reset();
}

}  // namespace pleiad::python
