#include "serving/answers/answer_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "sampling/stop_matcher.h"
#include "serving/answers/constraint.h"
#include "serving/answers/reply_limits.h"
#include "serving/media/check_towers.h"
#include "serving/media/prepare_media.h"
#include "serving/media/uses_of.h"
#include "serving/request_error.h"

namespace pleiad::serving {

AnswerJob::AnswerJob(Workshop& workshop, std::unique_ptr<ActiveWork::Entry> active,
                     AnswerRequest request, std::shared_ptr<AnswerObserver> observer)
    : workshop_(workshop),
      active_(std::move(active)),
      request_(std::move(request)),
      observer_(std::move(observer)),
      has_media_(!request_.media.empty()),
      started_(workshop.clock()) {}

AnswerJob::~AnswerJob() = default;

void AnswerJob::start() {
  if (!active_) {
    workshop_.workers.post([self = shared_from_this()] { self->end_with(shutting_down_error()); });
    return;
  }
  active_->set_ticket(shared_from_this());
  const double timeout = request_.timeout_seconds.value_or(workshop_.timeout_seconds);
  deadline_ = request_.begun.value_or(started_) + timeout;
  if (!workshop_.begin_waiting(has_media_, request_.goes_on)) {
    workshop_.workers.post([self = shared_from_this()] { self->end_with(busy_error()); });
    return;
  }
  waits_ = true;
  on_worker(workshop_.workers, &AnswerJob::find_model);
}

/// What goes wrong there ends the request and nothing else.
void AnswerJob::on_worker(WorkPool& workers, void (AnswerJob::*step)()) {
  workers.post([self = shared_from_this(), step] {
    if (self->cancelled()) return self->end_cancelled();
    try {
      ((*self).*step)();
    } catch (const std::exception& error) {
      // What was left undone because nobody waits for it is no error.
      if (self->cancelled()) return self->end_cancelled();
      self->end_with(as_service_error(error));
    }
  });
}

void AnswerJob::find_model() {
  entry_ = workshop_.find_usable(request_.model);
  if (!has_media_) return wait_for_model();
  // Before it stands in line.
  const bool has_other =
      std::any_of(request_.media.begin(), request_.media.end(),
                  [](const MediaPart& part) { return part.kind != MediaKind::picture; });
  if (entry_.details && (has_other || !entry_.details->vision)) {
    check_towers(request_, workshop_.towers(entry_));
  }
  // What is read already stands behind nobody's files.
  const bool is_read =
      std::all_of(request_.media.begin(), request_.media.end(),
                  [](const MediaPart& part) { return part.prepared->is_finished(); });
  on_worker(is_read ? workshop_.workers : workshop_.media_workers, &AnswerJob::read_media);
}

/// Before the model is waited for: nobody holds it while strangers' pictures are read.
void AnswerJob::read_media() {
  const auto is_late = [this] { return now() > deadline_; };
  try {
    auto prepared = prepare_media(
        request_, workshop_.towers(entry_), workshop_.media,
        [&] { return cancelled() || is_late(); },
        [self = shared_from_this()] {
          self->on_worker(self->workshop_.media_workers, &AnswerJob::read_media);
        });
    if (!prepared) return;  // and comes again
    release_media();
    prepared_ = std::move(*prepared);
  } catch (const std::exception&) {
    if (!is_late()) throw;
    throw RequestError(ServiceError::Code::deadline, "the request took longer than it was given");
  }
  wait_for_model();
}

void AnswerJob::wait_for_model() {
  asked_for_model_ = now();
  const ModelPool::WaitId wait = workshop_.pool.acquire(
      entry_, request_.keep_alive, deadline_,
      [self = shared_from_this()](auto outcome) { self->take_model(std::move(outcome)); },
      request_.goes_on);
  bool is_cancelled = false;
  {
    const std::lock_guard guard(mutex_);
    wait_ = wait;
    is_cancelled = cancelled_;
  }
  if (is_cancelled && workshop_.pool.cancel(wait)) end_cancelled();
}

void AnswerJob::take_model(std::variant<ModelPool::Lease, ServiceError> outcome) {
  if (const auto* error = std::get_if<ServiceError>(&outcome)) return end_with(*error);
  {
    const std::lock_guard guard(mutex_);
    lease_ = std::move(std::get<ModelPool::Lease>(outcome));
    if (lease_->use() == ModelLease::Use::after_a_wait) load_seconds_ = now() - asked_for_model_;
  }
  on_worker(workshop_.workers, &AnswerJob::submit);
}

/// Large, and of no use once the media are read, or nobody wants them.
void AnswerJob::release_media() {
  for (MediaPart& part : request_.media) {
    part.bytes.reset();
    part.prepared.reset();
  }
  prepared_.clear();
}

/// The model's file may be another one than when the media were read.
void AnswerJob::check_still_sees(const PromptTowers& towers, std::span<const ShownMedia> shown) {
  check_towers(request_, towers);
  for (const ShownMedia& media : shown) {
    for (const ShownMedia::Part& part : media.parts) {
      if (!part.picture && !part.sound) continue;
      const bool fits =
          part.sound
              ? towers.audio.hears() &&
                    std::ssize(part.sound->samples) <= towers.audio.tower.max_samples &&
                    towers.audio.soft_tokens(std::ssize(part.sound->samples)) == part.n
              : std::max(part.picture->width, part.picture->height) <= towers.vision.longest_side;
      if (fits) continue;
      throw RequestError(ServiceError::Code::model_changed,
                         "the model was changed while the media were read; ask again");
    }
  }
}

void AnswerJob::tell_documents(const PreparedMediaList& prepared) const {
  for (std::size_t i = 0; i < prepared.size(); ++i) {
    if (!request_.media[i].tells_text) continue;
    DocumentText document;
    document.media = i;
    document.has_pages = prepared[i]->has_pages;
    for (const media::DocumentPage& page : prepared[i]->told) {
      document.pages.push_back({page.number, page.text});
    }
    observer_->document(std::move(document));
  }
}

EngineRequest AnswerJob::engine_request() {
  ModelRuntime& runtime = lease_->runtime();
  AnswerOptions options = answer_options(request_, entry_, runtime);
  auto stops = sampling::StopMatcher::create(options.stop);
  if (!stops) throw RequestError(ServiceError::Code::bad_request, stops.message(), "stop");

  const PromptRoom room = prompt_room(options);
  const PromptModel model = runtime.prompt_model();
  const text::Vocabulary& vocabulary = model.tokenizer->vocabulary();
  const auto prepared = std::exchange(prepared_, {});
  const std::vector<ShownMedia> shown = shown_of(request_, prepared);
  AnswerPrompt prompt = write_prompt(model, room, prepared, shown);
  if (is_chat() && !prompt.reply.tools_enabled) forbid_calls(vocabulary, options.generation);

  EngineRequest request;
  if (request_.prompt_logprobs) score_prompt(request, prompt, options.generation);
  std::vector<std::string> form_warnings = hold_to_form(request, prompt.reply);
  request.prompt = std::move(prompt.tokens);
  request.media = prompt_media(prompt.media, shown);
  request.context_length = room.context_length;
  set_cache_use(request);
  request.deadline = deadline_;
  request.goes_on = request_.goes_on;

  limit_thoughts(request, prompt.reply, *model.tokenizer, options.generation.max_tokens);
  begin_writing(vocabulary, prompt.reply, std::move(stops).value(), options.generation);
  request.generation = std::move(options.generation);
  dropped_messages_ = prompt.dropped_messages;
  add_warnings(std::move(options.warnings));
  add_warnings(std::move(prompt.warnings));
  for (const auto& media : prepared) add_warnings(media->warnings);
  add_warnings(std::move(form_warnings));
  if (std::string unused = constrain::unused_form(asked_form(request_, prompt.reply));
      !unused.empty()) {
    warnings_.push_back(std::move(unused));
  }
  return request;
}

/// Where a prompt is cut anyway, a reply of some length shall fit.
PromptRoom AnswerJob::prompt_room(AnswerOptions& options) {
  constexpr std::int64_t kUsualReply = 256;
  PromptRoom room;
  room.context_length =
      context_limit(options.context_length, lease_->runtime().context_length(), options.warnings);
  const std::int64_t wanted = options.generation.max_tokens;
  room.least_reply = wanted == 0 ? 0 : 1;
  room.reply_tokens = std::clamp<std::int64_t>(wanted < 0 ? kUsualReply : wanted, room.least_reply,
                                               std::max<std::int64_t>(1, room.context_length / 4));
  return room;
}

/// With what is told of it: its media, its documents' texts, and that it is there.
AnswerPrompt AnswerJob::write_prompt(const PromptModel& model, const PromptRoom& room,
                                     const PreparedMediaList& prepared,
                                     std::span<const ShownMedia> shown) {
  check_still_sees(model.towers, shown);
  AnswerPrompt prompt = make_prompt(
      request_, entry_.recipe, model, room, [this] { return cancelled(); }, shown);
  media_ = uses_of(prompt, *model.tokenizer, prepared);
  tell_documents(prepared);
  observer_->prompted();
  for (const MediaSpan& span : prompt.media) media_of_prompt_.push_back(span.media);
  prompt.reply.call_pieces = request_.call_pieces;
  return prompt;
}

/// The engine holds this job as long as the request.
void AnswerJob::score_prompt(EngineRequest& request, const AnswerPrompt& prompt,
                             const GenerationOptions& generation) {
  ModelRuntime& runtime = lease_->runtime();
  check_scored(*request_.prompt_logprobs, prompt.tokens.size());
  scorer_.emplace(runtime.prompt_model().tokenizer->vocabulary(), runtime.vocab_size(), request_,
                  prompt, generation.stop_tokens.tokens());
  request.take_prompt_logits = [this](std::span<const float> rows) { scorer_->take(rows); };
}

/// Gives what of the form is not enforced; calls are checked then.
std::vector<std::string> AnswerJob::hold_to_form(EngineRequest& request,
                                                 const text::ReplyOptions& reply) {
  std::vector<std::string> warnings;
  request.constraint = lease_->runtime().constraint(request_, reply, warnings);
  if (reply.tools_enabled && !warnings.empty()) {
    calls_.emplace(request_, warnings);
    request.judges_passages = !request_.call_pieces;
  }
  return warnings;
}

void AnswerJob::set_cache_use(EngineRequest& request) const {
  request.use_cache = request_.use_cache;
  request.cache_scope = request_.cache_scope;
  request.within_pages = request_.sees_cached_text;
  if (request_.explain_cache) {
    request.explain_cache = request_.sees_cached_text ? CacheDetail::tokens : CacheDetail::pages;
  }
}

void AnswerJob::begin_writing(const text::Vocabulary& vocabulary, const text::ReplyOptions& reply,
                              sampling::StopMatcher stops, const GenerationOptions& generation) {
  ReplyReader reader = is_chat() ? ReplyReader(vocabulary, reply, std::move(stops))
                                 : ReplyReader(vocabulary, std::move(stops));
  if (guards_repetition(request_, workshop_.replies)) {
    const bool has_form = request_.format && !request_.format->is_null();
    reader.watch_repetition(vocabulary, has_form);
  }
  writer_.emplace(vocabulary, std::move(reader),
                  AnswerWriter::Options{.logprobs = generation.sampling.n_logprobs.has_value(),
                                        .show_control = !is_chat(),
                                        .drop_thoughts = is_chat() && !reply.thinking_enabled,
                                        .one_call = !request_.tool_choice.parallel});
}

void AnswerJob::add_warnings(std::vector<std::string> warnings) {
  std::ranges::move(warnings, std::back_inserter(warnings_));
}

/// Thoughts that are shown end where the request, or the server, says so.
void AnswerJob::limit_thoughts(EngineRequest& request, const text::ReplyOptions& reply,
                               const text::Tokenizer& tokenizer, std::int64_t max_tokens) {
  const std::int64_t room = request.context_length - std::ssize(request.prompt);
  const std::int64_t total = max_tokens >= 0 ? std::min(max_tokens, room) : room;
  const ThoughtRules rules = thought_rules(request_, workshop_.replies, reply, total, warnings_);
  if (!rules.any() || !ThoughtLimit::can_limit(tokenizer.vocabulary())) return;
  ended_thought_ = std::make_shared<std::optional<EndedThought>>();
  auto limit = std::make_unique<ThoughtLimit>(tokenizer, rules, reply,
                                              std::move(request.constraint), ended_thought_);
  if (const std::string why = limit->why_none(); !why.empty()) {
    const auto& asked = request_.thinking_budget;
    warnings_.push_back(fmt::format("{}: {}", asked ? asked->field : "thinking budget", why));
  }
  request.constraint = std::move(limit);
}

void AnswerJob::submit() {
  EngineRequest request = engine_request();
  const ModelPool::Lease lease = lease_;  // the answer may end before submit() returns
  leave_queue();
  const Engine::RequestId id = lease->runtime().submit(std::move(request), shared_from_this());
  bool is_cancelled = false;
  {
    const std::lock_guard guard(mutex_);
    engine_request_ = id;
    submitted_ = true;
    is_cancelled = cancelled_;
  }
  if (is_cancelled) lease->runtime().cancel(id);
}

void AnswerJob::cancel() {
  ModelPool::WaitId wait = 0;
  ModelPool::Lease lease;
  Engine::RequestId id = 0;
  {
    const std::lock_guard guard(mutex_);
    if (cancelled_ || ended_) return;
    cancelled_ = true;
    wait = lease_ ? 0 : wait_;
    if (submitted_) {
      lease = lease_;
      id = engine_request_;
    }
  }
  if (lease) {
    lease->runtime().cancel(id);
  } else if (wait != 0 && workshop_.pool.cancel(wait)) {
    workshop_.workers.post([self = shared_from_this()] { self->end_cancelled(); });
  }
}

bool AnswerJob::cancelled() {
  const std::lock_guard guard(mutex_);
  return cancelled_;
}

void AnswerJob::leave_queue() {
  if (std::exchange(waits_, false)) workshop_.end_waiting(has_media_);
}

void AnswerJob::prompt_progress(std::int64_t /*done*/, std::int64_t /*total*/) {
  if (scorer_ && scorer_->is_due()) observer_->scored(scorer_->take_scores());
}

bool AnswerJob::token(const sampling::SampledToken& token) {
  const double time = now();
  if (last_token_ == 0) {
    workshop_.observer.first_token(entry_.name, time - started_);
  } else {
    workshop_.observer.token_gap(entry_.name, time - last_token_);
  }
  last_token_ = time;
  std::vector<AnswerDelta> deltas = writer_->push(token);
  if (calls_) calls_->read(*writer_, deltas);
  deliver(std::move(deltas));
  return wants_more();
}

Passage AnswerJob::passage() { return calls_ ? calls_->passage() : Passage::none; }

void AnswerJob::write_again() { calls_->write_again(writer_); }

bool AnswerJob::take_first() {
  deliver(calls_->take_first(writer_));
  return wants_more();
}

void AnswerJob::deliver(std::vector<AnswerDelta> deltas) {
  for (AnswerDelta& delta : deltas) observer_->delta(std::move(delta));
}

/// What goes wrong with its last part is told too: nobody may be left waiting.
void AnswerJob::finished(const EngineResult& engine_result) {
  try {
    finish(engine_result);
  } catch (const std::exception& error) {
    end_with(as_service_error(error));
  }
}

void AnswerJob::finish(const EngineResult& engine_result) {
  // A reply that failed in a later try of a call has all of the first one.
  const auto token = cutting_token(engine_result);
  std::vector<AnswerDelta> deltas = writer_->finish(
      engine_result.failed_try ? FinishReason::stop_token : engine_result.reason, bool(token));
  if (calls_) calls_->check(deltas);
  deliver(std::move(deltas));
  AnswerResult result;
  writer_->describe(result);
  if (calls_) std::ranges::move(calls_->warnings(engine_result), std::back_inserter(warnings_));
  if (std::string cut = told_of_cut(result, token); !cut.empty()) {
    warnings_.push_back(std::move(cut));
  }
  std::ranges::move(writer_->take_warnings(), std::back_inserter(warnings_));
  result.stats = engine_result.stats;
  result.seed = engine_result.seed;
  result.queue_seconds = engine_result.queue_seconds;
  if (engine_result.cache) result.cache_debug = cache_debug(*engine_result.cache);
  note_uses(engine_result.media);
  if (ended_thought_) result.ended_thought = *ended_thought_;
  tell_limits(result, warnings_);
  end_with(std::move(result));
}

/// The stop token that ended the reply where the request alone names it, so that what it ended need
/// not be whole; a call is where its own last token ends it.
std::optional<text::TokenId> AnswerJob::cutting_token(const EngineResult& result) const {
  const auto token = result.stop_token;
  ModelRuntime& runtime = lease_->runtime();
  if (!token || runtime.stop_tokens().contains(*token)) return std::nullopt;
  const text::Vocabulary& vocabulary = runtime.prompt_model().tokenizer->vocabulary();
  const bool closes_call =
      writer_->in_call() && token == vocabulary.tag(text::Tag::tool_call_close);
  return closes_call ? std::nullopt : token;
}

/// Of the request's own stop strings and tokens: behind a whole form nothing comes in which one of
/// them could be. Empty where none of them cut a form off.
std::string AnswerJob::told_of_cut(const AnswerResult& result,
                                   std::optional<text::TokenId> token) const {
  const text::ReplyOptions any;
  const constrain::AskedForm asked = asked_form(request_, any);
  const bool is_content = asked.has_format() && !asked.must_call();
  if (result.reason == FinishReason::stop_string) {
    return is_content ? constrain::cut_form(asked.format_path, "a stop string") : "";
  }
  if (!token) return {};
  const bool lacks_call = asked.must_call() && !result.called_tools;
  const bool is_of_calls = writer_->has_cut_call() || lacks_call;
  if (!is_of_calls && (!is_content || result.called_tools)) return {};
  return constrain::cut_form(is_of_calls ? "tools" : asked.format_path,
                             fmt::format("token {} of stop_token_ids", *token));
}

/// What stands in several places, or has several parts, was known if nothing of it was computed; of
/// a document that is all text nothing is encoded.
void AnswerJob::note_uses(std::span<const EncodingUse> uses) {
  for (const int media : media_of_prompt_) media_[static_cast<std::size_t>(media)].cached = true;
  for (std::size_t i = 0; i < media_of_prompt_.size(); ++i) {
    if (i < uses.size() && uses[i].cached) continue;
    media_[static_cast<std::size_t>(media_of_prompt_[i])].cached = false;
  }
}

Json AnswerJob::cache_debug(const CacheExplanation& found) const {
  Json debug = {{"cached_tokens", found.cached_tokens}, {"common_tokens", found.common_tokens}};
  if (found.detail != CacheDetail::tokens) return debug;
  const text::Tokenizer& tokenizer = *lease_->runtime().prompt_model().tokenizer;
  debug["cached_text"] = tokenizer.decode_with_control(found.cached_next);
  debug["prompt_text"] = tokenizer.decode_with_control(found.prompt_next);
  return debug;
}

void AnswerJob::failed(const EngineFailure& failure) {
  ServiceError error = as_service_error(failure);
  if (failure.kind == EngineFailure::Kind::form) {
    error.field = form_field(request_);
    error.message = fmt::format("{}: {}", error.field, error.message);
  }
  end_with(error);
}

void AnswerJob::end_cancelled() {
  AnswerResult result;
  result.reason = FinishReason::cancelled;
  end_with(std::move(result));
}

/// Null where it has ended before.
std::shared_ptr<AnswerObserver> AnswerJob::end() {
  ModelPool::Lease lease;
  {
    const std::lock_guard guard(mutex_);
    if (std::exchange(ended_, true)) return nullptr;
    lease = std::move(lease_);
  }
  leave_queue();
  release_media();
  return std::exchange(observer_, nullptr);
}

void AnswerJob::report(std::string outcome, const ServiceError& error, const AnswerResult& result) {
  workshop_.observer.finished({entry_.name, request_.model, request_.id, std::move(outcome),
                               error.detail.empty() ? error.message : error.detail,
                               error.log_field.empty() ? error.field : error.log_field,
                               result.stats, now() - started_, result.queue_seconds,
                               load_seconds_});
}

void AnswerJob::end_with(const ServiceError& error) {
  const auto observer = end();
  if (!observer) return;
  report(std::string(name(error.code)), error, {});
  observer->failed(for_client(error));
  active_.reset();
}

void AnswerJob::end_with(AnswerResult result) {
  const auto observer = end();
  if (!observer) return;
  result.total_seconds = now() - started_;
  result.load_seconds = load_seconds_;
  result.dropped_messages = dropped_messages_;
  result.warnings = std::move(warnings_);
  result.media = std::move(media_);
  report(std::string(pleiad::name(result.reason)), {}, result);
  observer->done(result);
  active_.reset();
}

}  // namespace pleiad::serving
