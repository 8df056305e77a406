#include "engine/engine.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <variant>

#include "base/available_memory.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/text_format.h"
#include "engine/engine_job.h"
#include "engine/engine_loop.h"

namespace pleiad {
namespace {

// How long an engine waits that could go on if others did not use the processor.
constexpr std::chrono::milliseconds kSoon{100};

std::string count(std::int64_t n) { return format_count(static_cast<std::uint64_t>(n)); }

EngineOptions checked(const LoadedModel& loaded, const ModelInfo& model, EngineOptions options) {
  const std::string& name = loaded.checkpoint().config().name;
  if (options.max_running < 1) {
    throw Error("at least one request has to run at once, found {}", options.max_running);
  }
  if (options.max_running > model.max_logit_rows || options.max_running > model.max_rows) {
    throw Error(
        "{} requests at once were asked for; {} was loaded for steps of {} tokens, {} of "
        "them generated",
        options.max_running, name, model.max_rows, model.max_logit_rows);
  }
  if (options.context_length > model.context_length) {
    throw Error("a context of {} tokens was asked for; {} supports {}",
                count(options.context_length), name, count(model.context_length));
  }
  if (options.context_length <= 0) options.context_length = model.context_length;
  return options;
}

// Half of what is available, but no more than all that could run at once.
std::uint64_t pick_kv_bytes(Model& model, const EngineOptions& options) {
  if (options.kv_bytes > 0) return options.kv_bytes;
  const auto cache = model.make_kv_cache({options.kv_type, KvCacheOptions().page_tokens});
  const std::uint64_t one =
      cache->lasting_bytes_for(options.context_length) +
      cache->sliding_bytes_for(options.context_length, options.context_length);
  return std::min(available_memory() / 2, one * static_cast<std::uint64_t>(options.max_running));
}

}  // namespace

class Engine::Impl {
 public:
  Impl(LoadedModel& model, EngineOptions options, ComputeTurn* turn)
      : model_(model),
        options_(checked(model, model.model().info(), std::move(options))),
        memory_(model.model(), options_.kv_type, pick_kv_bytes(model.model(), options_),
                model.model().info().max_rows),
        loop_(model.model(), towers_of(model, options_.towers), options_, memory_, turn,
              [this](const EngineStats& stats, std::size_t n_ended) { publish(stats, n_ended); }) {
    stats_.kv_bytes_limit = memory_.limit();
    thread_ = std::thread([this] { run(); });
  }

  ~Impl() {
    {
      const std::lock_guard lock(mutex_);
      stops_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }

  RequestId submit(std::unique_ptr<EngineJob> job) {
    prepare(*job);
    {
      const std::lock_guard lock(mutex_);
      job->id = ++last_id_;
      const std::size_t places = static_cast<std::size_t>(options_.max_running);
      if (!job->has_ended() && !job->request.goes_on && n_live_ >= places + options_.max_waiting) {
        job->fail(EngineFailure::Kind::busy,
                  fmt::format("the server is busy: {} requests run and {} wait",
                              options_.max_running, options_.max_waiting));
      }
      if (!job->has_ended()) {
        ++n_live_;
        mail_.emplace_back(std::move(job));
        changed_.notify_one();
        return last_id_;
      }
    }
    job->tell_outcome();
    return job->id;
  }

  /// A request, the id of one that is cancelled, or: clear the cache.
  using Mail = std::variant<std::unique_ptr<EngineJob>, RequestId, std::monostate>;

  void post(Mail mail) {
    {
      const std::lock_guard lock(mutex_);
      mail_.push_back(std::move(mail));
    }
    changed_.notify_one();
  }

  EngineStats stats() const {
    const std::lock_guard lock(mutex_);
    EngineStats stats = stats_;
    stats.waiting = n_live_ - stats.running;
    return stats;
  }

  bool is_usable() const { return !loop_.model_changed(); }

  const EngineOptions& options() const { return options_; }
  const LoadedModel& model() const { return model_; }

 private:
  void publish(const EngineStats& stats, std::size_t n_ended) {
    const std::lock_guard lock(mutex_);
    stats_ = stats;
    n_live_ -= n_ended;
  }

  /// Everything that can be said of a request at once; it ends where it cannot be served.
  void prepare(EngineJob& job) const;
  void plan_memory(EngineJob& job) const;
  void run();
  void handle(Mail mail);

  LoadedModel& model_;
  const EngineOptions options_;
  KvMemory memory_;  // the engine's thread alone, but for what never changes
  EngineLoop loop_;  // the engine's thread alone

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Mail> mail_;
  bool stops_ = false;
  std::size_t n_live_ = 0;  // submitted, and not ended
  RequestId last_id_ = 0;
  EngineStats stats_;
  std::thread thread_;
};

void Engine::Impl::prepare(EngineJob& job) const {
  const ModelInfo& info = model_.model().info();
  using Kind = EngineFailure::Kind;
  job.submitted = monotonic_seconds();
  job.limit_tokens = options_.context_length;
  const std::int64_t wanted = job.request.context_length;
  if (wanted > 0) job.limit_tokens = std::min(job.limit_tokens, wanted);
  if (job.request.prompt.empty()) return job.fail(Kind::bad_request, "the prompt is empty");
  if (job.is_scored() && !job.request.media.empty()) {
    return job.fail(Kind::bad_request, "a prompt with media has no logits of its tokens");
  }
  if (!job.request.media.empty()) {
    for (const PromptMedia& media : job.request.media) {
      const bool is_sound = media.tower() == MediaTower::audio;
      if (is_sound ? options_.towers.audio || model_.has_audio()
                   : options_.towers.vision || model_.has_vision()) {
        continue;
      }
      // Why may name files, which are not for everybody who asks.
      return job.fail(Kind::bad_request, fmt::format("{} has no {} tower that can be used",
                                                     model_.checkpoint().config().name,
                                                     is_sound ? "audio" : "vision"));
    }
    const std::int64_t longest =
        info.bidirectional_blocks ? info.max_rows - options_.max_running + 1 : job.n_prompt();
    if (const auto error = media_places_error(job.prompt(), longest)) {
      return job.fail(Kind::bad_request, *error);
    }
  }
  for (const text::TokenId token : job.request.prompt) {
    if (token >= 0 && token < info.vocab_size) continue;
    return job.fail(Kind::bad_request, fmt::format("token {} is not in the vocabulary of {} pieces",
                                                   token, info.vocab_size));
  }
  const auto sampling = sampling::check_options(job.request.generation.sampling,
                                                static_cast<std::size_t>(info.vocab_size));
  if (!sampling) return job.fail(Kind::bad_request, sampling.message());
  const bool no_reply = job.is_embedding() || job.request.generation.max_tokens == 0;
  const std::int64_t least_reply = no_reply ? 0 : 1;
  if (job.n_prompt() + least_reply > job.limit_tokens) {
    return job.fail(Kind::context_exceeded,
                    fmt::format("the prompt has {} tokens and the context holds {}{}",
                                count(job.n_prompt()), count(job.limit_tokens),
                                least_reply > 0 ? ": there is no room for a reply" : ""));
  }
  plan_memory(job);
  if (job.request.use_cache) job.page_chain = page_chain(job.prompt(), memory_.page_tokens());
}

// A reply without a limit may become as long as the context and the memory allow;
// one with a limit has to fit whole.
void Engine::Impl::plan_memory(EngineJob& job) const {
  const std::int64_t fits = memory_.longest_fitting(job.limit_tokens);
  const std::int64_t max_tokens = job.is_embedding() ? 0 : job.request.generation.max_tokens;
  if (max_tokens < 0) {
    job.most_tokens = std::max(fits, job.n_prompt() + 1);
    job.limit_tokens = job.most_tokens;
  } else {
    const std::int64_t room = job.limit_tokens - job.n_prompt();
    job.most_tokens = job.n_prompt() + std::min(room, max_tokens);
  }
  if (job.most_tokens <= fits) return;
  job.fail(
      EngineFailure::Kind::no_memory,
      fmt::format("{} tokens need {} for keys and values; the limit is {}, which holds {} tokens",
                  count(job.most_tokens), format_bytes(memory_.bytes_for(job.most_tokens)),
                  format_bytes(memory_.limit()), count(fits)));
}

void Engine::Impl::handle(Mail mail) {
  if (auto* job = std::get_if<std::unique_ptr<EngineJob>>(&mail)) {
    loop_.add(std::move(*job));
  } else if (const auto* id = std::get_if<RequestId>(&mail)) {
    loop_.cancel(*id);
  } else {
    loop_.clear_cache();
  }
}

void Engine::Impl::run() {
  for (EngineLoop::Next next = EngineLoop::Next::when_told;;) {
    std::vector<Mail> mail;
    bool stops = false;
    {
      std::unique_lock lock(mutex_);
      const auto is_told = [&] { return stops_ || !mail_.empty(); };
      if (next == EngineLoop::Next::when_told) changed_.wait(lock, is_told);
      if (next == EngineLoop::Next::soon) changed_.wait_for(lock, kSoon, is_told);
      mail.swap(mail_);
      stops = stops_;
    }
    for (Mail& item : mail) handle(std::move(item));
    if (stops) return loop_.fail_all(EngineFailure::Kind::shutting_down, "the server is stopping");
    try {
      next = loop_.step();
    } catch (const std::exception& error) {
      loop_.fail_all(EngineFailure::Kind::internal, error.what());
      next = EngineLoop::Next::when_told;
    }
  }
}

Engine::Engine(LoadedModel& model, EngineOptions options, ComputeTurn* turn)
    : impl_(std::make_unique<Impl>(model, std::move(options), turn)) {}

Engine::~Engine() = default;

Engine::RequestId Engine::submit(EngineRequest request, std::shared_ptr<TokenSink> sink) {
  auto job = std::make_unique<EngineJob>();
  job->constraint = std::move(request.constraint);
  job->request = std::move(request);
  job->sink = std::move(sink);
  if (job->is_scored()) job->request.use_cache = false;  // which has no logits
  return impl_->submit(std::move(job));
}

Engine::RequestId Engine::embed(std::vector<text::TokenId> tokens,
                                std::function<void(Embedding)> done) {
  auto job = std::make_unique<EngineJob>();
  job->request.prompt = std::move(tokens);
  job->request.use_cache = false;  // the hidden states of all tokens are needed
  job->on_embedding = std::move(done);
  return impl_->submit(std::move(job));
}

void Engine::cancel(RequestId id) { impl_->post(id); }
void Engine::clear_cache() { impl_->post(std::monostate()); }
EngineStats Engine::stats() const { return impl_->stats(); }
bool Engine::is_usable() const { return impl_->is_usable(); }

std::int64_t Engine::context_length() const { return impl_->options().context_length; }
const LoadedModel& Engine::model() const { return impl_->model(); }

}  // namespace pleiad
