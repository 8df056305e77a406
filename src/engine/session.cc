#include "engine/session.h"

#include <algorithm>

#include "base/clock.h"
#include "base/error.h"
#include "base/text_format.h"
#include "engine/forced_tokens.h"
#include "sampling/sampler.h"

namespace pleiad {
namespace {

// The next turn's prompt differs from this one at the earliest where the template's generation
// prompt begins, a few tokens before the end (thoughts, which may follow it, are dropped). What
// lies behind is worth keeping so that it can be continued from there.
constexpr std::int64_t kGenerationPromptTokens = 32;

// Handing a form to another thread and back takes some 20 us: 1 % of such a step.
constexpr double kLongStepSeconds = 0.002;

std::int64_t pick_context_length(const LoadedModel& model, std::int64_t wanted,
                                 std::int64_t supported) {
  if (wanted <= 0) return supported;
  if (wanted > supported) {
    throw Error("a context of {} tokens was asked for; {} supports {}", format_count(wanted),
                model.checkpoint().config().name, format_count(supported));
  }
  return wanted;
}

}  // namespace

std::string_view name(FinishReason reason) {
  switch (reason) {
    case FinishReason::stop_token:
    case FinishReason::stop_string:
      return "stop";
    case FinishReason::length:
    case FinishReason::context_full:
      return "length";
    case FinishReason::repetition:
      return "repetition";
    case FinishReason::cancelled:
      return "cancelled";
  }
  return "";
}

Session::Session(LoadedModel& model, const SessionOptions& options)
    : model_(model),
      sees_(options.towers.vision || model.has_vision()),
      hears_(options.towers.audio || model.has_audio()),
      context_length_(
          pick_context_length(model, options.context_length, model.model().info().context_length)),
      cache_(model.model().make_kv_cache({options.kv_type, KvCacheOptions().page_tokens})),
      sequence_(std::make_unique<KvSequence>(*cache_)),
      encoder_(towers_of(model, options.towers), options.encodings_bytes) {}

void Session::clear() {
  sequence_->truncate(0);
  tokens_.clear();
  media_.clear();
  n_reusable_ = 0;
}

std::int64_t Session::reuse(const PromptView& prompt) {
  // The last token is always computed: its logits are what comes next.
  const std::int64_t most = std::min(n_reusable_, prompt.size() - 1);
  std::int64_t common = common_tokens(prompt, {tokens_, media_}, most);
  if (model_.model().info().blocks_on_all_layers) {
    common = continuable(prompt.media, common, model_.checkpoint().config().sliding_window);
  }
  if (!sequence_->can_truncate(common)) common = 0;
  sequence_->truncate(common);
  tokens_.resize(static_cast<std::size_t>(common));
  std::erase_if(media_, [&](const PromptMedia& one) { return one.first >= common; });
  n_reusable_ = common;
  return common;
}

Logits Session::compute(std::span<const text::TokenId> tokens, WantLogits want, Phase phase,
                        std::span<const SoftRows> soft) {
  sequence_->reserve(static_cast<std::int64_t>(tokens.size()));
  Slice slice = {sequence_.get(), tokens, want, phase};
  slice.soft = soft;
  const Logits logits = model_.model().forward({&slice, 1}, *cache_);
  tokens_.insert(tokens_.end(), tokens.begin(), tokens.end());
  if (phase == Phase::prompt || model_.model().has_one_arithmetic()) {
    n_reusable_ = std::ssize(tokens_);
  }
  return logits;
}

void Session::check(const PromptView& prompt) const {
  if (prompt.tokens.empty()) throw Error("the prompt is empty");
  if (prompt.size() >= context_length_) {
    throw Error("the prompt has {} tokens and the context holds {}: there is no room for a reply",
                format_count(static_cast<std::uint64_t>(prompt.size())),
                format_count(static_cast<std::uint64_t>(context_length_)));
  }
  const ModelInfo& info = model_.model().info();
  for (const text::TokenId token : prompt.tokens) {
    if (token < 0 || token >= info.vocab_size) {
      throw Error("token {} is not in the vocabulary of {} pieces", token, info.vocab_size);
    }
  }
  for (const PromptMedia& media : prompt.media) {
    if (media.tower() == MediaTower::audio ? hears_ : sees_) continue;
    throw Error(
        "{} {}", model_.checkpoint().config().name,
        media.sound ? model_.checkpoint().sound_problem() : model_.checkpoint().picture_problem());
  }
  const std::int64_t longest = info.bidirectional_blocks ? info.max_rows : prompt.size();
  if (const auto error = media_places_error(prompt, longest)) throw Error("{}", *error);
}

GenerationResult Session::generate(const PromptView& prompt, const GenerationOptions& options,
                                   const OnToken& on_token, const OnPrompt& on_prompt,
                                   sampling::TokenConstraint* constraint) {
  check(prompt);
  sampling::Sampler sampler(options.sampling,
                            static_cast<std::size_t>(model_.model().info().vocab_size));
  for (const text::TokenId token : prompt.tokens) sampler.accept_prompt(token);

  GenerationResult result;
  result.seed = sampler.seed_in_use();
  GenerationStats& stats = result.stats;
  stats.prompt_tokens = prompt.size();
  const double start = monotonic_seconds();
  stats.cached_tokens = reuse(prompt);
  sequence_->keep_from(
      std::max<std::int64_t>(stats.cached_tokens, prompt.size() - kGenerationPromptTokens));
  FormAhead form(preparer_, constraint);
  form.begin();
  const bool complete = compute_prompt(prompt, on_prompt, stats);
  const double prompt_done = monotonic_seconds();
  stats.prompt_seconds = prompt_done - start;
  if (!complete) {
    result.reason = FinishReason::cancelled;
    stats.prompt_tokens = static_cast<std::int64_t>(tokens_.size());  // as far as it came
    return result;
  }

  form.wait();
  generate_reply(options, on_token, constraint, form, sampler, result);
  stats.generation_seconds = monotonic_seconds() - prompt_done;
  return result;
}

void Session::generate_reply(const GenerationOptions& options, const OnToken& on_token,
                             sampling::TokenConstraint* constraint, FormAhead& form,
                             sampling::Sampler& sampler, GenerationResult& result) {
  GenerationStats& stats = result.stats;
  std::vector<text::TokenId> ahead;  // chosen, and not computed yet
  ForcedTokens forced;
  std::size_t n_taken = 0;  // of these
  std::int64_t n_steps = 0;
  double step_seconds = 0;  // that the last one took
  const auto room = [&] {
    const std::int64_t in_context = context_length_ - std::ssize(tokens_) - std::ssize(ahead);
    if (options.max_tokens < 0) return in_context;
    return std::min(in_context, options.max_tokens - stats.generated_tokens);
  };
  const auto is_at_end = [&] {
    if (!ahead.empty() && std::ssize(tokens_) + std::ssize(ahead) >= context_length_) {
      result.reason = FinishReason::context_full;
    } else if (options.max_tokens >= 0 && stats.generated_tokens >= options.max_tokens) {
      result.reason = FinishReason::length;
    } else {
      return false;
    }
    return true;
  };
  while (!is_at_end()) {
    if (n_taken == forced.tokens.size() && !forced.end) {
      forced = forced_tokens(constraint, options, room());
      n_taken = 0;
    }
    const bool is_forced = n_taken < forced.tokens.size();
    if (!is_forced && forced.end) {
      result.reason = FinishReason::stop_token;
      break;
    }
    if (!is_forced && !ahead.empty()) {
      const double begun = monotonic_seconds();
      if (step_seconds > kLongStepSeconds) form.begin();
      compute_ahead(ahead);
      step_seconds = monotonic_seconds() - begun;
      form.wait();
      ++n_steps;
    }
    const text::TokenId token =
        is_forced ? sampler.take_forced(forced.tokens[n_taken++], *constraint).token
                  : sampler.sample(logits_.row(0), constraint).token;
    if (!is_forced && options.stop_tokens.contains(token)) {
      result.reason = FinishReason::stop_token;
      break;
    }
    sampler.accept(token);
    ahead.push_back(token);
    ++stats.generated_tokens;
    stats.forced_tokens += is_forced ? 1 : 0;
    if (!on_token(token)) {
      result.reason = FinishReason::cancelled;
      break;
    }
  }
  stats.saved_steps = saved_steps(stats.generated_tokens, result.reason, n_steps);
}

// In passes of as many rows as there may be; then none are ahead.
void Session::compute_ahead(std::vector<text::TokenId>& ahead) {
  for (std::span<const text::TokenId> left = ahead; !left.empty();) {
    const auto most = static_cast<std::size_t>(model_.model().info().max_rows);
    const auto part = left.first(std::min(most, left.size()));
    left = left.subspan(part.size());
    logits_ = compute(part, left.empty() ? WantLogits::last : WantLogits::none, Phase::generation);
  }
  ahead.clear();
}

}  // namespace pleiad
