// Passages of a reply that its sink judges: a bad one is written again from the token that began
// it, with the keys and values, and so the logits, that it had there.

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "base/check.h"
#include "engine/engine_loop.h"

namespace pleiad {

// Behind a token that was told: whether more is wanted; nothing where the reply goes on from
// another place.
std::optional<bool> EngineLoop::follow_passage(EngineJob& job, const sampling::SampledToken& told,
                                               bool wants_more) {
  if (!job.request.judges_passages) return wants_more;
  if (job.passage) {
    job.passage->tokens.push_back(told.token);
    job.passage->had_choice = job.passage->had_choice || told.had_choice;
  }
  Passage passage = Passage::none;
  job.tell([&] { passage = job.sink->passage(); });
  if (job.has_ended()) return std::nullopt;
  switch (passage) {
    case Passage::none:
      break;
    case Passage::begins:
      begin_passage(job, told.token);
      break;
    case Passage::good:
      end_passage(job);
      break;
    case Passage::bad:
      if (may_write_again(job)) {
        write_again(job);
        return std::nullopt;
      }
      if (job.in_later_try()) {
        take_first(job);
        return std::nullopt;
      }
      end_passage(job);
      job.tell([&] { wants_more = job.sink->take_first(); });
      if (job.has_ended()) return std::nullopt;
      break;
  }
  if (wants_more && job.passage && has_no_room(job)) {
    if (job.in_later_try()) {
      take_first(job);
      return std::nullopt;
    }
    end_passage(job);
  }
  return wants_more;
}

void EngineLoop::begin_passage(EngineJob& job, text::TokenId first) {
  if (job.kv->goes_back == 0 || job.in_later_try()) return;
  end_passage(job);
  PassageTries& passage = job.passage.emplace();
  passage.position = job.n_prompt() + job.result.stats.generated_tokens - 1;
  if (job.constraint) passage.constraint = job.constraint->copy();
  passage.begun = job.counts();
  passage.tokens = {first};
  job.kv->sequence->keep_from(passage.position);
}

// It stays as it is, and nothing goes back to where it began.
void EngineLoop::end_passage(EngineJob& job) {
  if (!job.passage) return;
  const std::int64_t position = job.passage->position;
  job.kv->sequence->keep_from(std::numeric_limits<std::int64_t>::max());
  job.passage.reset();
  keep_reply(job, position);
}

// Where the reply ends within a later try nothing of that is kept.
void EngineLoop::leave_passage(EngineJob& job) {
  if (!job.in_later_try()) return end_passage(job);
  if (job.n_computed() > job.passage->position) cut_back(job);
}

// Another try may differ, and what is left of max_tokens has room for some of it.
bool EngineLoop::may_write_again(const EngineJob& job) {
  if (!job.passage || !job.passage->had_choice) return false;
  if (job.passage->n_tries >= PassageTries::kMost) return false;
  const GenerationStats& stats = job.result.stats;
  const std::int64_t most = job.request.generation.max_tokens;
  if (most >= 0 && stats.generated_tokens + stats.dropped_tokens >= most) return false;
  return job.n_prompt() + stats.generated_tokens < job.limit_tokens;
}

// For the try that is written: a first one may go on without a way back.
bool EngineLoop::has_no_room(const EngineJob& job) {
  if (std::ssize(job.passage->tokens) >= job.kv->goes_back) return true;
  return job.in_later_try() && job.reply_room() <= 0;
}

void EngineLoop::write_again(EngineJob& job) {
  PassageTries& passage = *job.passage;
  if (!passage.first) {
    passage.first = {passage.tokens, std::move(job.constraint), job.counts()};
  }
  GenerationStats& stats = job.result.stats;
  stats.dropped_tokens += stats.generated_tokens - passage.begun.generated;
  job.set_counts(passage.begun);
  job.sampler->take_back(std::span(passage.tokens).subspan(1));
  passage.tokens.resize(1);
  passage.had_choice = false;
  ++passage.n_tries;
  if (passage.constraint) job.constraint = passage.constraint->copy();
  go_back(job, passage.tokens);
  job.tell([&] { job.sink->write_again(); });
}

// No try was better: its tokens are computed once more, in as few steps as there is room for.
void EngineLoop::take_first(EngineJob& job) {
  PassageTries::First& first = *job.passage->first;
  job.sampler->take_back(std::span(job.passage->tokens).subspan(1));
  for (const text::TokenId token : std::span(first.tokens).subspan(1)) job.sampler->accept(token);
  job.count_first_try();
  job.constraint = std::move(first.constraint);
  go_back(job, first.tokens);
  job.kv->sequence->keep_from(std::numeric_limits<std::int64_t>::max());
  job.passage.reset();
  bool wants_more = true;
  job.tell([&] { wants_more = job.sink->take_first(); });
  if (!job.has_ended() && !wants_more) job.finish(FinishReason::cancelled);
}

// To the token that began the passage: what is computed ends before it, and these tokens, all of
// them told, come next.
void EngineLoop::go_back(EngineJob& job, const std::vector<text::TokenId>& told) {
  cut_back(job);
  job.ahead = told;
  job.n_told = told.size();
  job.end.reset();
  job.more_may_be_forced = true;
  job.form.reset();
  ++job.n_gone_back;
}

void EngineLoop::cut_back(EngineJob& job) {
  const std::int64_t position = job.passage->position;
  CHECK(job.n_computed() >= position, "{} of {} tokens", job.n_computed(), position);
  job.kv->sequence->truncate(position);
  if (!job.text.empty()) job.text.resize(static_cast<std::size_t>(position));
}

}  // namespace pleiad
