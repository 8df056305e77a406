#include "engine/engine_job.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <utility>

#include "base/clock.h"
#include "engine/forced_tokens.h"

namespace pleiad {

void EngineJob::begin(double now) {
  if (started > 0) return;
  started = now;
  result.queue_seconds = now - submitted;
}

std::int64_t EngineJob::reply_room() const {
  const std::int64_t generated = result.stats.generated_tokens;
  const std::int64_t in_context = limit_tokens - n_prompt() - generated;
  const std::int64_t most = request.generation.max_tokens;
  const std::int64_t spent = generated + (in_later_try() ? result.stats.dropped_tokens : 0);
  return most < 0 ? in_context : std::min(in_context, most - spent);
}

void EngineJob::set_counts(const PassageTries::Counts& counts) {
  result.stats.generated_tokens = counts.generated;
  result.stats.forced_tokens = counts.forced;
  n_steps = counts.n_steps;
  n_counted = counts.n_computed;
}

void EngineJob::count_first_try() {
  const PassageTries::Counts& first = passage->first->counts;
  result.stats.dropped_tokens += result.stats.generated_tokens - first.generated;
  set_counts(first);
}

PromptView EngineJob::computed() const {
  const std::int64_t n = reply_is_kept ? n_computed() : std::min(n_computed(), n_prompt());
  return {std::span(text).first(static_cast<std::size_t>(n)), request.media};
}

void EngineJob::finish(FinishReason reason) {
  outcome = reason;
  result.reason = reason;
  if (in_later_try()) count_first_try();
  const double now = monotonic_seconds();
  if (!kv) {
    result.queue_seconds = now - submitted;
    return;
  }
  GenerationStats& stats = result.stats;
  // What a later try ended with is not behind the tokens that count.
  stats.saved_steps = saved_steps(stats.generated_tokens,
                                  in_later_try() ? FinishReason::cancelled : reason, n_steps);
  if (started == 0) result.queue_seconds = now - submitted;
  if (in_prompt()) {
    stats.prompt_tokens = n_computed();  // as far as it came
    stats.prompt_seconds = started > 0 ? now - started : 0;
  } else {
    stats.generation_seconds = now - prompt_done;
  }
}

void EngineJob::finish_by(text::TokenId token) {
  // What a later try ended with does not stand behind the first one.
  if (!in_later_try()) result.stop_token = token;
  finish(FinishReason::stop_token);
}

void EngineJob::fail(EngineFailure::Kind kind, std::string message) {
  EngineFailure failure{kind, std::move(message), n_prompt(), limit_tokens};
  if (in_later_try()) {
    result.failed_try = std::move(failure);
    return finish(FinishReason::cancelled);
  }
  outcome = std::move(failure);
}

void EngineJob::tell(const std::function<void()>& hear) {
  try {
    hear();
  } catch (const std::exception& error) {
    fail(EngineFailure::Kind::internal, error.what());
  } catch (...) {
    fail(EngineFailure::Kind::internal, "whoever follows the request failed");
  }
}

void EngineJob::tell_progress() {
  if (is_embedding()) return;
  tell([this] { sink->prompt_progress(n_computed(), n_prompt()); });
}

bool EngineJob::tell_token(const sampling::SampledToken& token) {
  bool wants_more = true;
  tell([&] { wants_more = sink->token(token); });
  return wants_more;
}

void EngineJob::tell_outcome() {
  const EngineFailure* failure = std::get_if<EngineFailure>(&outcome);
  try {
    if (!is_embedding()) {
      if (in_later_try()) tell([this] { sink->take_first(); });
      failure ? sink->failed(*failure) : sink->finished(result);
      return;
    }
    Engine::Embedding embedding;
    embedding.prompt_tokens = n_prompt();
    if (failure) {
      embedding.failure = *failure;
    } else if (result.reason == FinishReason::cancelled) {
      embedding.failure = EngineFailure{EngineFailure::Kind::internal, "cancelled", n_prompt(), 0};
    } else {
      for (const double sum : hidden_sums) {
        embedding.values.push_back(static_cast<float>(sum / static_cast<double>(n_prompt())));
      }
    }
    on_embedding(std::move(embedding));
  } catch (...) {
    // Nobody is left to tell.
  }
}

std::vector<std::uint64_t> page_chain(const PromptView& prompt, std::int64_t page_tokens) {
  std::vector<std::uint64_t> chain;
  std::uint64_t hash = 0x9E3779B97F4A7C15U;
  const auto add = [&](std::uint64_t value) {
    hash ^= value;
    hash *= 0xD6E8FEB86659FD93U;
    hash ^= hash >> 32;
  };
  for (std::int64_t page = 0; (page + 1) * page_tokens <= prompt.size(); ++page) {
    const PageKey key = page_key(prompt, page, page_tokens);
    for (const text::TokenId token : key.tokens) add(static_cast<std::uint32_t>(token));
    for (const PageMedia& media : key.media) {
      add(static_cast<std::uint64_t>(media.first));
      add(static_cast<std::uint64_t>(media.key.tower));
      for (std::size_t at = 0; at < media.key.digest.size(); at += sizeof(std::uint64_t)) {
        std::uint64_t part = 0;
        std::memcpy(&part, media.key.digest.data() + at, sizeof(part));
        add(part);
      }
    }
    chain.push_back(hash);
  }
  return chain;
}

std::int64_t shared_pages(const std::vector<std::uint64_t>& a,
                          const std::vector<std::uint64_t>& b) {
  // Equal numbers come first, then none: so the border can be halved towards.
  std::size_t equal = 0;
  for (std::size_t differs = std::min(a.size(), b.size()) + 1; equal + 1 < differs;) {
    const std::size_t middle = equal + (differs - equal) / 2;
    (a[middle - 1] == b[middle - 1] ? equal : differs) = middle;
  }
  return static_cast<std::int64_t>(equal);
}

}  // namespace pleiad
