#include "engine/engine_loop.h"

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

#include "base/check.h"
#include "base/clock.h"
#include "base/file_changed_error.h"
#include "engine/compute_turn.h"

namespace pleiad {
namespace {

// Of a reply: promised when it starts, and again whenever that is used up.
constexpr std::int64_t kPromisedReply = 1024;
constexpr std::size_t kExplainedTokens = 8;
// Of prompts in a step, while another engine has streams that wait for it.
constexpr std::int64_t kRowsAmidOthers = 64;

std::vector<text::TokenId> first_few(std::span<const text::TokenId> tokens) {
  const auto few = tokens.first(std::min(tokens.size(), kExplainedTokens));
  return {few.begin(), few.end()};
}

}  // namespace

EngineLoop::EngineLoop(Model& model, MediaTowers towers, const EngineOptions& options,
                       KvMemory& memory, ComputeTurn* turn, OnChange on_change)
    : model_(model),
      options_(options),
      memory_(memory),
      turn_(turn),
      on_change_(std::move(on_change)),
      planner_({.max_rows = model.info().max_rows}),
      encoder_(std::move(towers), options.encodings_bytes),
      idle_reader_(model, memory, turn) {}

void EngineLoop::add(std::unique_ptr<EngineJob> job) {
  if (model_changed_) job->fail(EngineFailure::Kind::model_changed, change_);
  waiting_.push_back(std::move(job));
}

void EngineLoop::cancel(Engine::RequestId id) {
  for (Jobs* jobs : {&waiting_, &running_}) {
    for (const auto& job : *jobs) {
      if (job->id == id && !job->has_ended()) job->finish(FinishReason::cancelled);
    }
  }
}

void EngineLoop::clear_cache() {
  idle_reader_.clear();
  memory_.clear_cache();
  encoder_.clear_cache();
  settle();
}

void EngineLoop::fail_all(EngineFailure::Kind kind, const std::string& message) {
  fail_unended(kind, message);
  settle();
}

void EngineLoop::fail_unended(EngineFailure::Kind kind, const std::string& message) {
  for (Jobs* jobs : {&waiting_, &running_}) {
    for (const auto& job : *jobs) {
      if (!job->has_ended()) job->fail(kind, message);
    }
  }
}

// Nothing of the step counts. The jobs stay until the step is over.
void EngineLoop::give_up_model(const std::string& message) {
  change_ = message;
  model_changed_ = true;
  fail_unended(EngineFailure::Kind::model_changed, message);
}

EngineLoop::Next EngineLoop::step() {
  end_expired();
  settle();
  if (!waiting_.empty()) idle_reader_.pause();
  admit();
  settle();
  resume_held();
  for (const auto& job : running_) find_media(*job);
  if (std::any_of(running_.begin(), running_.end(), [](auto& job) { return job->has_ended(); })) {
    settle();
  }
  note_answers(!running_.empty());
  if (running_.empty()) {
    encoder_.drop();
    note_streams(false);
    return read_idly();
  }
  Work work = plan();
  if (!work.has_rows() && work.encode_seconds == 0) await_held();
  // Before its tokens: after them the part would lie between these and those of the next step,
  // which may have rows of prompts beside it.
  encode(work);
  if (!model_changed_) compute(work);
  settle();
  return Next::now;
}

EngineLoop::Next EngineLoop::read_idly() {
  if (model_changed_) return Next::when_told;
  IdleReader::Left left = IdleReader::Left::some;
  try {
    left = idle_reader_.advance();
  } catch (const FileChangedError& error) {
    give_up_model(error.what());
    return Next::when_told;
  } catch (const std::exception&) {
    // That text is read when it is asked for.
  }
  stats_.tokens_read_idly = idle_reader_.n_read();
  switch (left) {
    case IdleReader::Left::some:
      return Next::now;
    case IdleReader::Left::later:
      return Next::soon;
    case IdleReader::Left::nothing:
      break;
  }
  return Next::when_told;
}

// What is kept of a job that has ended: its end, and where replies are to be read once more its
// text. A favour to who comes next: where it fails nothing else does.
void EngineLoop::keep(EngineJob& job) {
  if (job.text.empty() || !std::holds_alternative<FinishReason>(job.outcome)) return;
  if (job.result.failed_try) return;
  try {
    leave_passage(job);
    memory_.keep_end(*job.kv, job.computed());
    if (job.reply_is_kept || job.in_prompt()) return;
    idle_reader_.add(job.request.cache_scope, std::move(job.text), std::move(job.request.media));
  } catch (const std::exception&) {
    // It is computed again.
  }
}

void EngineLoop::end_expired() {
  const double now = monotonic_seconds();
  for (Jobs* jobs : {&waiting_, &running_}) {
    for (const auto& job : *jobs) {
      if (job->has_ended() || now < job->request.deadline) continue;
      job->fail(EngineFailure::Kind::deadline, "the request took longer than it was given");
    }
  }
}

void EngineLoop::admit() {
  if (running_.empty()) n_paused_ = 0;  // those that were have left
  int n_seen = 0;
  for (auto& job : waiting_) {
    if (++n_seen > 2 * options_.max_running) break;  // a long queue costs nothing
    // Those that wait for memory to go on come first.
    if (n_paused_ > 0 || std::ssize(running_) >= options_.max_running) break;
    if (job->has_ended()) continue;
    try {
      if (waits_for_pages(*job)) continue;
      if (!start(*job)) break;  // nobody overtakes what waits for memory
    } catch (const std::bad_alloc&) {
      fail_without_memory(*job);
      continue;
    } catch (const std::exception& error) {
      job->fail(EngineFailure::Kind::internal, error.what());
      continue;
    }
    running_.push_back(std::move(job));
  }
  std::erase(waiting_, nullptr);
}

// Pages that another prompt is about to compute are not computed twice.
bool EngineLoop::waits_for_pages(const EngineJob& job) {
  if (!job.request.use_cache) return false;
  const std::int64_t wanted = (job.n_prompt() - 1) / memory_.page_tokens();
  std::int64_t cached = -1;
  for (const auto& other : running_) {
    if (!other->in_prompt() || !other->kv->fills_cache || other->has_ended()) continue;
    if (other->request.cache_scope != job.request.cache_scope) continue;
    const std::int64_t shared = std::min(wanted, shared_pages(job.page_chain, other->page_chain));
    if (shared <= other->n_computed() / memory_.page_tokens()) continue;
    if (cached < 0)
      cached = memory_.prefixes().count(job.request.cache_scope, job.prompt(), wanted);
    if (shared > cached) return true;
  }
  return false;
}

bool EngineLoop::start(EngineJob& job) {
  const std::int64_t promised = std::min(job.most_tokens, job.n_prompt() + kPromisedReply);
  const EngineRequest& request = job.request;
  std::optional<CacheUse> cache;
  if (request.use_cache) cache = {request.cache_scope, request.within_pages};
  const bool goes_back = request.judges_passages &&
                         memory_.fits_going_back(job.most_tokens, PassageTries::kMostTokens);
  auto started = memory_.start(job.prompt(), promised, job.most_tokens, cache,
                               goes_back ? PassageTries::kMostTokens : 0);
  if (!started) {
    CHECK(!running_.empty(), "{} tokens do not fit alone", job.most_tokens);
    return false;
  }
  job.kv = std::move(started->use);
  GenerationStats& stats = job.result.stats;
  stats.prompt_tokens = job.n_prompt();
  stats.cached_tokens = job.n_computed();
  stats_.tokens_cached += static_cast<std::uint64_t>(stats.cached_tokens);
  if (job.is_embedding()) {
    job.hidden_sums.assign(static_cast<std::size_t>(model_.info().model_dim), 0);
    return true;
  }
  if (request.use_cache) job.text = request.prompt;
  job.reply_is_kept = request.use_cache && model_.has_one_arithmetic();
  start_media(job);
  if (request.explain_cache != CacheDetail::none) {
    explain(job, request.use_cache ? started->match
                                   : memory_.look_up(request.cache_scope, job.prompt()));
  }
  job.sampler.emplace(job.request.generation.sampling,
                      static_cast<std::size_t>(model_.info().vocab_size));
  for (const text::TokenId token : job.request.prompt) job.sampler->accept_prompt(token);
  job.result.seed = job.sampler->seed_in_use();
  return true;
}

void EngineLoop::explain(EngineJob& job, const PrefixCache::Match& match) {
  CacheExplanation& found = job.result.cache.emplace();
  found.cached_tokens = job.n_computed();
  found.common_tokens = match.common_tokens;
  found.detail = job.request.explain_cache;
  if (found.detail == CacheDetail::pages) {
    found.common_tokens -= found.common_tokens % memory_.page_tokens();
    return;
  }
  found.cached_next = first_few(match.next);
  found.prompt_next = first_few(
      std::span(job.request.prompt).subspan(static_cast<std::size_t>(match.common_tokens)));
}

// Takes out what has ended, frees its memory, and then tells.
void EngineLoop::settle() {
  Jobs ended;
  for (Jobs* jobs : {&waiting_, &running_}) {
    for (auto& job : *jobs) {
      if (!job->has_ended()) continue;
      if (job->kv) {
        keep(*job);
        memory_.end(*job->kv);
      }
      ended.push_back(std::move(job));
    }
    std::erase(*jobs, nullptr);
  }
  KvCache& cache = memory_.cache();
  stats_.running = running_.size();
  stats_.waiting = waiting_.size();
  stats_.kv_bytes_limit = memory_.limit();
  stats_.kv_bytes_cached = cache.block_bytes();
  stats_.kv_bytes_running = cache.used_bytes() - stats_.kv_bytes_cached;
  stats_.cache_evicted_pages = memory_.prefixes().n_evicted();
  stats_.tower_bytes = encoder_.tower_bytes();
  stats_.encodings_bytes = encoder_.cache().bytes();
  stats_.encodings_bytes_limit = encoder_.cache().limit();
  on_change_(stats_, ended.size());
  for (const auto& job : ended) job->tell_outcome();
}

// Of a reply's tokens as many as there is memory for, the older replies first; 0: it has to wait.
// Where each has logits they are as many as there is room for beside one row of each job.
std::int64_t EngineLoop::rows_ahead(EngineJob& job, std::int64_t& logit_room) {
  std::int64_t rows = std::ssize(job.ahead);
  if (job.wants_logprobs()) {
    rows = std::min(rows, 1 + logit_room);
    logit_room -= rows - 1;
  }
  const std::int64_t length = job.n_computed() + rows;
  const std::int64_t promised = job.kv->promised_tokens;
  if (length <= promised) return rows;
  if (memory_.promise(*job.kv, std::min(job.most_tokens, length + kPromisedReply))) return rows;
  return std::max<std::int64_t>(0, promised - job.n_computed());
}

void EngineLoop::note_streams(bool any) {
  if (!turn_ || any == has_streams_) return;
  has_streams_ = any;
  any ? turn_->streams_began() : turn_->streams_ended();
}

void EngineLoop::note_answers(bool any) {
  if (!turn_ || any == has_answers_) return;
  has_answers_ = any;
  any ? turn_->answers_began() : turn_->answers_ended();
}

EngineLoop::Work EngineLoop::plan() {
  Work work;
  std::vector<EngineJob*> prompts;
  std::vector<std::int64_t> left;
  bool any_lacks_media = false;
  bool any_is_held = false;
  n_paused_ = 0;
  std::int64_t logit_room = model_.info().max_logit_rows - std::ssize(running_);
  for (const auto& job : running_) {
    if (job->in_prompt()) {
      if (lacks_media(*job)) {
        any_lacks_media = true;
        continue;
      }
      prompts.push_back(job.get());
      left.push_back(job->n_prompt() - job->n_computed());
    } else if (job->is_held()) {
      any_is_held = true;
    } else if (const std::int64_t n = rows_ahead(*job, logit_room); n > 0) {
      work.generated.push_back({job.get(), n});
    } else {
      ++n_paused_;
    }
  }
  note_streams(!work.generated.empty() || any_is_held);
  const bool others_stream = turn_ && !has_streams_ && turn_->has_streams();
  // Beside streams a step has time for the one or the other.
  const bool takes_turns = any_lacks_media && !work.generated.empty() && !prompts.empty();
  const bool encodes = any_lacks_media && (!takes_turns || encodes_next_);
  if (takes_turns) encodes_next_ = !encodes_next_;
  if (encodes) work.encode_seconds = encode_seconds(std::ssize(work.generated), others_stream);
  if (encodes && takes_turns) prompts.clear(), left.clear();
  std::vector<std::int64_t> forced;  // behind the first of each stream
  for (const Part& part : work.generated) forced.push_back(part.n - 1);
  const auto rows =
      planner_.plan(forced, left, others_stream ? kRowsAmidOthers : model_.info().max_rows);
  for (std::size_t i = 0; i < forced.size(); ++i) work.generated[i].n = 1 + rows.forced[i];
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    if (rows.prompts[i] == 0) continue;
    const std::int64_t n = rows.prompts[i];
    if (prompts[i]->is_scored()) {
      work.scored.push_back({prompts[i], std::min(n, model_.info().max_hidden_rows)});
      continue;
    }
    auto& parts = prompts[i]->is_embedding() ? work.embeddings : work.prompts;
    parts.push_back({prompts[i], n});
  }
  cap_embeddings(work.embeddings, model_.info().max_hidden_rows);
  fit_blocks(work);
  CHECK(work.has_rows() || work.encode_seconds > 0 || any_is_held,
        "{} requests run and none can go on", running_.size());
  return work;
}

void EngineLoop::cap_embeddings(std::vector<Part>& parts, std::int64_t room) {
  for (Part& part : parts) {
    part.n = std::min(part.n, room);
    room -= part.n;
  }
  std::erase_if(parts, [](const Part& part) { return part.n == 0; });
}

// What is left of a block is computed at once where its tokens see each other. The planner knows
// nothing of that: a prompt takes a few rows less than it was given, or more where that is all that
// it can go on with, the older ones first. The oldest goes on in any case, whatever embeddings take
// of the step: beside them a block might never find room.
void EngineLoop::fit_blocks(Work& work) const {
  if (!model_.info().bidirectional_blocks) return;
  std::int64_t room = model_.info().max_rows - total(work.generated);
  if (!work.prompts.empty()) {
    const Part& oldest = work.prompts.front();
    const auto& media = oldest.job->request.media;
    if (whole_blocks(media, oldest.job->n_computed(), oldest.n) > room) {  // forced text can wait
      for (Part& part : work.generated) part.n = 1;
      room = model_.info().max_rows - total(work.generated);
    }
  }
  bool is_oldest = true;
  for (Part& part : work.prompts) {
    const std::int64_t done = part.job->n_computed();
    const auto& media = part.job->request.media;
    part.n = whole_blocks(media, done, part.n);
    if (part.n > room) part.n = whole_blocks(media, done, room);
    if (part.n > room) part.n = 0;
    room -= part.n;
    if (is_oldest) {
      cap_embeddings(work.embeddings, room);
      room -= total(work.embeddings);
    }
    is_oldest = false;
  }
  std::erase_if(work.prompts, [](const Part& part) { return part.n == 0; });
}

}  // namespace pleiad
