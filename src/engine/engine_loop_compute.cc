// One step: the next token of those that generate, parts of prompts, and texts that are embedded.

#include <algorithm>
#include <exception>
#include <mutex>
#include <new>
#include <utility>

#include "base/clock.h"
#include "base/file_changed_error.h"
#include "engine/compute_turn.h"
#include "engine/engine_loop.h"
#include "engine/forced_tokens.h"

namespace pleiad {

std::int64_t EngineLoop::total(const std::vector<Part>& parts) {
  std::int64_t n = 0;
  for (const Part& part : parts) n += part.n;
  return n;
}

void EngineLoop::fail_without_memory(EngineJob& job) {
  job.fail(EngineFailure::Kind::out_of_memory, "there is no memory for its keys and values");
}

// Fails alone whom the system has no memory for.
void EngineLoop::reserve(std::vector<Part>& parts) {
  for (const Part& part : parts) {
    try {
      memory_.reserve(*part.job->kv, part.n);
    } catch (const std::bad_alloc&) {
      fail_without_memory(*part.job);
    } catch (const std::exception& error) {
      part.job->fail(EngineFailure::Kind::internal, error.what());
    }
  }
  std::erase_if(parts, [](const Part& part) { return part.job->has_ended(); });
}

void EngineLoop::compute(Work& work) {
  for (auto* parts : {&work.generated, &work.prompts, &work.embeddings, &work.scored}) {
    reserve(*parts);
  }
  if (!work.has_rows()) return;
  std::unique_lock<ComputeTurn> turn;
  if (turn_) turn = std::unique_lock(*turn_);
  const double begun = monotonic_seconds();
  for (const auto* parts : {&work.prompts, &work.embeddings, &work.scored}) {
    for (const Part& part : *parts) part.job->begin(begun);
  }
  const bool ends_prompt = std::any_of(
      work.prompts.begin(), work.prompts.end(),
      [](const Part& part) { return part.job->n_computed() + part.n == part.job->n_prompt(); });
  compute_replies(work);
  compute_embeddings(work.embeddings);
  for (const Part& part : work.scored) compute_scored(part);
  const std::int64_t n_streams = std::ssize(work.generated);
  const StepRecord record = {n_streams, total(work.generated) - n_streams,
                             total(work.prompts) + total(work.embeddings) + total(work.scored),
                             monotonic_seconds() - begun};
  planner_.took({n_streams, record.prompt_rows, ends_prompt, record.forced_rows}, record.seconds);
  ++stats_.steps;
  stats_.tokens_evaluated += static_cast<std::uint64_t>(record.prompt_rows);
  if (options_.on_step) options_.on_step(record);
}

void EngineLoop::compute_replies(const Work& work) {
  std::vector<Slice> slices;
  for (const Part& part : work.generated) {
    slices.push_back({part.job->kv->sequence.get(),
                      std::span(part.job->ahead).first(static_cast<std::size_t>(part.n)),
                      wanted_logits(part), Phase::generation});
  }
  std::vector<std::int64_t> before;
  std::vector<std::vector<SoftRows>> soft;
  for (const Part& part : work.prompts) {
    before.push_back(part.job->n_computed());
    soft.push_back(soft_rows(*part.job, part.n));
    const bool is_last = before.back() + part.n == part.job->n_prompt();
    slices.push_back(
        {part.job->kv->sequence.get(),
         std::span(part.job->request.prompt)
             .subspan(static_cast<std::size_t>(before.back()), static_cast<std::size_t>(part.n)),
         is_last ? WantLogits::last : WantLogits::none, Phase::prompt});
    slices.back().soft = soft.back();  // lies where it lay when the vector around it grows
  }
  if (slices.empty()) return;
  order_forms(work);
  Logits logits;
  try {
    const double begun = monotonic_seconds();
    logits = model_.forward(slices, memory_.cache());
    await_forms(work, monotonic_seconds() - begun);
  } catch (const FileChangedError& error) {
    return give_up_model(error.what());
  } catch (const std::exception& error) {
    for (const auto* parts : {&work.generated, &work.prompts}) {
      for (const Part& part : *parts) {
        part.job->fail(EngineFailure::Kind::internal, error.what());
      }
    }
    return;
  }
  std::int64_t row = 0;
  for (const Part& part : work.generated) row += advance_reply(part, logits, row);
  for (std::size_t i = 0; i < work.prompts.size(); ++i) {
    advance_prompt(work.prompts[i], before[i]);
    EngineJob& job = *work.prompts[i].job;
    if (job.in_prompt()) continue;
    if (!job.has_ended()) choose_token(job, logits.row(row));
    ++row;
  }
}

// Of each token where log probabilities are wanted; else of the last one, if nothing is known of
// what follows it.
WantLogits EngineLoop::wanted_logits(const Part& part) {
  if (part.job->wants_logprobs()) return WantLogits::all;
  return part.n == std::ssize(part.job->ahead) ? WantLogits::last : WantLogits::none;
}

// A reply of which this step computed tokens; gives how many rows of logits were its.
std::int64_t EngineLoop::advance_reply(const Part& part, const Logits& logits, std::int64_t row) {
  EngineJob& job = *part.job;
  const std::int64_t before = job.n_computed() - part.n;
  if (!job.text.empty()) {
    job.text.insert(job.text.end(), job.ahead.begin(), job.ahead.begin() + part.n);
  }
  if (job.n_computed() > job.n_counted) ++job.n_steps;
  const WantLogits wanted = wanted_logits(part);
  const std::int64_t n_logits = wanted == WantLogits::all ? part.n : wanted == WantLogits::last;
  choose_tokens(part, wanted, logits, row);
  keep_reply(job, before);
  return n_logits;
}

// Behind what was computed.
void EngineLoop::choose_tokens(const Part& part, WantLogits wanted, const Logits& logits,
                               std::int64_t row) {
  EngineJob& job = *part.job;
  if (wanted != WantLogits::all) {
    job.ahead.erase(job.ahead.begin(), job.ahead.begin() + part.n);
    job.n_told -= static_cast<std::size_t>(part.n);
    if (wanted == WantLogits::last) choose_token(job, logits.row(row));
    return;
  }
  // Only the first was told, unless the reply went back.
  const int n_gone_back = job.n_gone_back;
  for (std::int64_t i = 0; i < part.n && !job.has_ended(); ++i) {
    if (job.n_gone_back != n_gone_back) break;
    job.ahead.erase(job.ahead.begin());
    if (--job.n_told == 0) choose_token(job, logits.row(row + i));
  }
}

// Of a reply the tokens from `first` on, in whole pages while windows still hold them, as far as
// none of them can be written again.
void EngineLoop::keep_reply(EngineJob& job, std::int64_t first) {
  if (!job.reply_is_kept) return;
  std::int64_t last =
      std::min(job.n_computed(), job.n_prompt() + job.result.stats.generated_tokens);
  if (job.passage) last = std::min(last, job.passage->position);
  memory_.keep_pages(*job.kv, job.computed(), first, last);
}

void EngineLoop::advance_prompt(const Part& part, std::int64_t before) {
  EngineJob& job = *part.job;
  memory_.keep_pages(*job.kv, job.prompt(), before, job.n_computed());
  forget_passed_media(job);
  if (!job.in_prompt()) {
    job.prompt_done = monotonic_seconds();
    job.result.stats.prompt_seconds = job.prompt_done - job.started;
  }
  job.tell_progress();
}

void EngineLoop::compute_embeddings(const std::vector<Part>& parts) {
  if (parts.empty() || model_changed_) return;
  const auto dim = static_cast<std::size_t>(model_.info().model_dim);
  hidden_.resize(static_cast<std::size_t>(model_.info().max_hidden_rows) * dim);
  std::vector<Slice> slices;
  std::size_t row = 0;
  for (const Part& part : parts) {
    const auto n = static_cast<std::size_t>(part.n);
    slices.push_back({part.job->kv->sequence.get(),
                      std::span(part.job->request.prompt)
                          .subspan(static_cast<std::size_t>(part.job->n_computed()), n),
                      WantLogits::none, Phase::prompt,
                      std::span(hidden_).subspan(row * dim, n * dim)});
    row += n;
  }
  try {
    model_.forward(slices, memory_.cache());
  } catch (const FileChangedError& error) {
    return give_up_model(error.what());
  } catch (const std::exception& error) {
    for (const Part& part : parts) part.job->fail(EngineFailure::Kind::internal, error.what());
    return;
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    EngineJob& job = *parts[i].job;
    const std::span<const float> values = slices[i].hidden;
    for (std::size_t at = 0; at < values.size(); ++at) job.hidden_sums[at % dim] += values[at];
    if (!job.in_prompt()) {
      job.prompt_done = monotonic_seconds();
      job.finish(FinishReason::stop_token);
    }
  }
}

// A pass of its own: its rows of logits are taken while they are computed.
void EngineLoop::compute_scored(const Part& part) {
  EngineJob& job = *part.job;
  if (model_changed_) return;
  const std::int64_t before = job.n_computed();
  const auto vocab_size = static_cast<std::size_t>(model_.info().vocab_size);
  std::vector<float> last;
  const TakeLogits take = [&](std::span<const float> rows) {
    job.request.take_prompt_logits(rows);
    const std::span<const float> row = rows.last(vocab_size);
    last.assign(row.begin(), row.end());
  };
  Slice slice = {job.kv->sequence.get(),
                 std::span(job.request.prompt)
                     .subspan(static_cast<std::size_t>(before), static_cast<std::size_t>(part.n)),
                 WantLogits::all, Phase::prompt};
  slice.take_logits = &take;
  try {
    model_.forward({&slice, 1}, memory_.cache());
  } catch (const FileChangedError& error) {
    return give_up_model(error.what());
  } catch (const std::exception& error) {
    return job.fail(EngineFailure::Kind::internal, error.what());
  }
  advance_prompt(part, before);
  if (!job.in_prompt() && !job.has_ended()) choose_token(job, last);
}

// The token behind all that is told, whose logits these are: what is forced there, or what the
// model chooses. Then what is forced behind it. Nothing while its form is not known: the logits
// wait.
void EngineLoop::choose_token(EngineJob& job, std::span<const float> logits) {
  if (job.request.generation.max_tokens == 0) {
    job.finish(FinishReason::length);
    return;
  }
  if (is_in_work(job)) return hold(job, logits);
  try {
    const std::int64_t n_before = job.result.stats.generated_tokens;
    const int n_gone_back = job.n_gone_back;
    // A reply may begin with forced text; elsewhere it is known already, unless there was much.
    if (n_before == 0 || job.n_told < job.ahead.size() || job.more_may_be_forced) {
      take_forced(job, logits);
    }
    if (job.has_ended() || job.n_gone_back != n_gone_back) return;
    if (job.result.stats.generated_tokens > n_before) return;
    if (!has_form(job)) return hold(job, logits);
    const sampling::SampledToken sampled = job.sampler->sample(logits, job.constraint.get());
    if (job.request.generation.stop_tokens.contains(sampled.token)) {
      job.finish_by(sampled.token);
      return;
    }
    job.ahead.push_back(sampled.token);
    deliver(job, sampled);
    take_forced(job, {});
  } catch (const sampling::ConstraintError& error) {
    if (job.in_later_try()) return take_first(job);
    job.fail(EngineFailure::Kind::form, error.what());
  } catch (const std::exception& error) {
    job.fail(EngineFailure::Kind::internal, error.what());
  }
}

// What is forced behind all that is told, as much as the constraint says at once: more is asked for
// when that is computed, so that no step is long. Where log probabilities are wanted each token
// waits for the logits of its place: `logits`, if there are any, are those of the first.
void EngineLoop::take_forced(EngineJob& job, std::span<const float> logits) {
  bool was_asked = false;
  job.more_may_be_forced = false;
  while (!job.has_ended()) {
    if (job.n_told < job.ahead.size()) {
      if (job.wants_logprobs() && logits.empty()) return;
      ++job.result.stats.forced_tokens;
      ++stats_.tokens_forced;
      deliver(job, job.sampler->take_forced(job.ahead[job.n_told], *job.constraint,
                                            std::exchange(logits, {})));
      continue;
    }
    if (job.end) return job.finish_by(*job.end);
    if (std::exchange(was_asked, true)) {
      job.more_may_be_forced = true;
      return;
    }
    const ForcedTokens more =
        forced_tokens(job.constraint.get(), job.request.generation, job.reply_room());
    if (more.tokens.empty() && !more.end) return;
    job.ahead.insert(job.ahead.end(), more.tokens.begin(), more.tokens.end());
    job.end = more.end;
  }
}

// The first of what is ahead that was not told.
void EngineLoop::deliver(EngineJob& job, const sampling::SampledToken& sampled) {
  job.sampler->accept(sampled.token);
  job.form.reset();  // the constraint is at another place
  ++job.n_told;
  const std::int64_t generated = ++job.result.stats.generated_tokens;
  ++stats_.tokens_generated;
  const bool is_wanted = job.tell_token(sampled);
  if (job.has_ended()) return;
  const std::optional<bool> wants_more = follow_passage(job, sampled, is_wanted);
  if (!wants_more) return;
  const std::int64_t most = job.request.generation.max_tokens;
  if (!*wants_more) {
    job.finish(FinishReason::cancelled);
  } else if (most >= 0 && generated >= most) {
    job.finish(FinishReason::length);
  } else if (job.n_prompt() + generated >= job.limit_tokens) {
    job.finish(FinishReason::context_full);
  }
}

}  // namespace pleiad
