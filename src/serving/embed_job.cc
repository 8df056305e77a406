#include "serving/embed_job.h"

#include <cmath>
#include <utility>

#include "base/text_format.h"
#include "serving/answers/answer_options.h"
#include "serving/answers/answer_prompt.h"
#include "serving/answers/model_parameters.h"
#include "serving/request_error.h"

namespace pleiad::serving {
namespace {

constexpr std::size_t kAtOnce = 8;

RequestError too_long(std::size_t index, std::uint64_t n_tokens, bool is_counted,
                      std::int64_t limit) {
  ServiceError error;
  error.code = ServiceError::Code::context_exceeded;
  error.message = fmt::format("input[{}] has {}{} tokens and the context holds {}", index,
                              is_counted ? "" : "at least ", format_count(n_tokens),
                              format_count(static_cast<std::uint64_t>(limit)));
  error.field = "input";
  error.prompt_tokens = static_cast<std::int64_t>(n_tokens);
  error.limit_tokens = limit;
  return RequestError(error);
}

}  // namespace

std::vector<float> unit_length(std::vector<float> values, std::size_t dimensions) {
  if (dimensions > 0 && dimensions < values.size()) values.resize(dimensions);
  double squares = 0;
  for (const float value : values) squares += double{value} * value;
  if (squares == 0) return values;
  const double factor = 1 / std::sqrt(squares);
  for (float& value : values) value = static_cast<float>(value * factor);
  return values;
}

EmbedJob::EmbedJob(Workshop& workshop, std::unique_ptr<ActiveWork::Entry> active,
                   EmbedRequest request, Callback<EmbedResult> done)
    : workshop_(workshop),
      active_(std::move(active)),
      request_(std::move(request)),
      done_(std::move(done)),
      started_(workshop.clock()),
      deadline_(started_ + workshop.timeout_seconds),
      refused_(!active_) {}

void EmbedJob::start() {
  if (!refused_) active_->set_ticket(shared_from_this());
  if (!workshop_.begin_waiting(false)) {
    workshop_.workers.post([self = shared_from_this()] { self->end(busy_error()); });
    return;
  }
  waits_ = true;
  on_worker(&EmbedJob::find_model);
}

/// Its inputs have come to the engine, which has a queue of its own; or it has ended.
void EmbedJob::leave_queue() {
  if (waits_.exchange(false)) workshop_.end_waiting(false);
}

void EmbedJob::cancel() { end(shutting_down_error()); }

void EmbedJob::on_worker(void (EmbedJob::*step)()) {
  workshop_.workers.post([self = shared_from_this(), step] {
    try {
      if (self->refused_) throw RequestError(shutting_down_error());
      ((*self).*step)();
    } catch (const std::exception& error) {
      self->end(as_service_error(error));
    }
  });
}

void EmbedJob::find_model() {
  const store::ModelEntry entry = workshop_.find_usable(request_.model);
  if (ended()) return;
  const ModelPool::WaitId wait = workshop_.pool.acquire(
      entry, request_.keep_alive, deadline_,
      [self = shared_from_this()](auto outcome) { self->take_model(std::move(outcome)); });
  {
    const std::lock_guard guard(mutex_);
    wait_ = wait;
    if (!ended_) return;
  }
  workshop_.pool.cancel(wait);
}

bool EmbedJob::ended() {
  const std::lock_guard guard(mutex_);
  return ended_;
}

void EmbedJob::take_model(std::variant<ModelPool::Lease, ServiceError> outcome) {
  if (const auto* error = std::get_if<ServiceError>(&outcome)) return end(*error);
  {
    const std::lock_guard guard(mutex_);
    if (ended_) return;
    lease_ = std::move(std::get<ModelPool::Lease>(outcome));
    if (lease_->use() == ModelLease::Use::after_a_wait) {
      result_.load_seconds = workshop_.clock() - started_;
    }
  }
  on_worker(&EmbedJob::encode);
}

std::vector<text::TokenId> EmbedJob::encode_input(const text::Tokenizer& tokenizer,
                                                  std::size_t index, std::int64_t limit) {
  const std::string& input = request_.inputs[index];
  const auto bos = tokenizer.vocabulary().bos();
  const std::size_t most = static_cast<std::size_t>(limit) - (bos ? 1 : 0);
  text::Encoding encoding;
  if (request_.truncate) {
    Result<text::Encoding> beginning = tokenizer.first_tokens(input, most);
    if (!beginning) throw bad_field(fmt::format("input[{}]: {}", index, beginning.message()));
    encoding = std::move(beginning).value();
  } else {
    text::EncodeLimit far;
    far.tokens = most + kCountedBeyond;
    far.stop = [this] { return ended(); };
    encoding = tokenizer.encode_text(input, far);
  }
  std::vector<text::TokenId> tokens = std::move(encoding.tokens);
  const bool is_too_long = !encoding.whole || tokens.size() > most;
  if (bos) tokens.insert(tokens.begin(), *bos);
  if (!is_too_long) return tokens;
  if (request_.truncate) {
    tokens.resize(static_cast<std::size_t>(limit));
    ++result_.truncated_inputs;
    return tokens;
  }
  throw too_long(index, encoding.least_count + (bos ? 1 : 0), encoding.whole, limit);
}

std::vector<text::TokenId> EmbedJob::take_tokens(const text::Tokenizer& tokenizer,
                                                 std::size_t index, std::int64_t limit) {
  std::vector<text::TokenId>& tokens = request_.token_inputs[index];
  check_tokens(tokenizer.vocabulary(), tokens, fmt::format("input[{}]", index));
  if (tokens.empty()) throw bad_field(fmt::format("input[{}]: there are no tokens", index));
  const auto most = static_cast<std::size_t>(limit);
  if (tokens.size() > most) {
    if (!request_.truncate) throw too_long(index, tokens.size(), true, limit);
    tokens.resize(most);
    ++result_.truncated_inputs;
  }
  return std::move(tokens);
}

void EmbedJob::encode() {
  ModelPool::Lease lease;
  {
    const std::lock_guard guard(mutex_);
    if (ended_) return;
    lease = lease_;
  }
  ModelRuntime& runtime = lease->runtime();
  if (request_.dimensions &&
      (*request_.dimensions < 1 || *request_.dimensions > runtime.model_dim())) {
    throw bad_field(fmt::format("dimensions: expected 1 to {}, found {}", runtime.model_dim(),
                                *request_.dimensions));
  }
  if (request_.context_length && *request_.context_length < 1) {
    throw bad_field(
        fmt::format("num_ctx: expected at least 1 token, found {}", *request_.context_length));
  }
  std::vector<std::string> ignored;
  const std::int64_t limit =
      context_limit(request_.context_length, runtime.context_length(), ignored);
  const text::Tokenizer& tokenizer = *runtime.prompt_model().tokenizer;
  const bool has_tokens = !request_.token_inputs.empty();
  for (std::size_t i = 0; i < n_inputs(); ++i) {
    if (ended()) return;
    prompts_.push_back(has_tokens ? take_tokens(tokenizer, i, limit)
                                  : encode_input(tokenizer, i, limit));
  }
  {
    const std::lock_guard guard(mutex_);
    result_.embeddings.resize(prompts_.size());
  }
  leave_queue();
  if (prompts_.empty()) return end(EmbedResult());
  for (std::size_t i = 0; i < kAtOnce; ++i) submit_next();
}

void EmbedJob::submit_next() {
  std::size_t input = 0;
  ModelPool::Lease lease;
  {
    const std::lock_guard guard(mutex_);
    if (ended_ || next_ == prompts_.size()) return;
    input = next_++;
    lease = lease_;
  }
  if (workshop_.clock() > deadline_) {
    return end(ServiceError{
        ServiceError::Code::deadline, "the request took longer than it was given", {}});
  }
  const Engine::RequestId id = lease->runtime().embed(
      std::move(prompts_[input]), [self = shared_from_this(), input](Engine::Embedding embedding) {
        try {
          self->take(input, std::move(embedding));
        } catch (const std::exception& error) {
          self->end(as_service_error(error));
        }
      });
  {
    const std::lock_guard guard(mutex_);
    if (!ended_) {
      in_flight_[input] = id;
      return;
    }
  }
  lease->runtime().cancel(id);
}

void EmbedJob::take(std::size_t input, Engine::Embedding embedding) {
  if (embedding.failure) return end(as_service_error(*embedding.failure));
  bool complete = false;
  {
    const std::lock_guard guard(mutex_);
    if (ended_) return;
    in_flight_.erase(input);
    result_.prompt_tokens += embedding.prompt_tokens;
    result_.embeddings[input] = unit_length(
        std::move(embedding.values), static_cast<std::size_t>(request_.dimensions.value_or(0)));
    complete = ++n_done_ == prompts_.size();
  }
  if (complete) return end(std::move(result_));
  submit_next();
}

void EmbedJob::end(std::variant<EmbedResult, ServiceError> outcome) {
  ModelPool::Lease lease;
  ModelPool::WaitId wait = 0;
  std::map<std::size_t, Engine::RequestId> in_flight;
  {
    const std::lock_guard guard(mutex_);
    if (std::exchange(ended_, true)) return;
    lease = std::move(lease_);
    wait = wait_;
    in_flight.swap(in_flight_);
  }
  leave_queue();
  if (!lease && wait != 0) workshop_.pool.cancel(wait);
  for (const auto& [input, id] : in_flight) lease->runtime().cancel(id);
  lease.reset();
  if (auto* result = std::get_if<EmbedResult>(&outcome)) {
    result->total_seconds = workshop_.clock() - started_;
  }
  if (auto* error = std::get_if<ServiceError>(&outcome)) *error = for_client(std::move(*error));
  done_(std::move(outcome));
  active_.reset();
}

}  // namespace pleiad::serving
