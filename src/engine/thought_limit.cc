#include "engine/thought_limit.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/text_format.h"
#include "text/stream_decoder.h"

namespace pleiad {
namespace {

using text::Tag;

constexpr std::int64_t kLongestGrace = 64;
// A character that has begun is waited for.
constexpr std::int64_t kLongestTail = 3;

std::int32_t tag_token(const text::Vocabulary& vocabulary, Tag tag) {
  const auto token = vocabulary.tag(tag);
  CHECK(token.has_value(), "the vocabulary has no {}", text::tag_text(tag));
  return *token;
}

std::vector<std::int32_t> backwards(std::vector<std::int32_t> tokens) {
  std::reverse(tokens.begin(), tokens.end());
  return tokens;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::string_view name(EndedThought::Why why) {
  return why == EndedThought::Why::budget ? "budget" : "repetition";
}

ThinkingShare share_for_thinking(std::int64_t budget, std::int64_t total) {
  constexpr std::int64_t kLeastTotal = 8;
  constexpr std::int64_t kLongestAnswer = 1024;
  if (total < kLeastTotal) {
    return {{},
            fmt::format("the reply may have {} tokens, which are too few for a thought and an "
                        "answer; the thought is not ended for the model",
                        total)};
  }
  const std::int64_t most = total - std::min(total / 4, kLongestAnswer);
  if (budget <= most) return {budget, {}};
  const auto count = [](std::int64_t n) { return format_count(static_cast<std::uint64_t>(n)); };
  return {most, fmt::format("{} tokens of thinking were asked for, and the reply may have {}: the "
                            "thought may take {}, so that there is room for an answer",
                            count(budget), count(total), count(most))};
}

bool ThoughtLimit::can_limit(const text::Vocabulary& vocabulary) {
  return vocabulary.tag(Tag::channel_open) && vocabulary.tag(Tag::channel_close);
}

ThoughtLimit::ThoughtLimit(const text::Tokenizer& tokenizer, ThoughtRules rules,
                           const text::ReplyOptions& reply,
                           std::unique_ptr<sampling::TokenConstraint> inner,
                           std::shared_ptr<std::optional<EndedThought>> ended)
    : vocabulary_(tokenizer.vocabulary()),
      open_(tag_token(vocabulary_, Tag::channel_open)),
      close_(tag_token(vocabulary_, Tag::channel_close)),
      label_(backwards(tokenizer.encode_text("thought\n"))),
      words_(backwards(tokenizer.encode_text(fmt::format("{}\n", kClosingWords)))),
      words_after_text_(backwards(tokenizer.encode_text(fmt::format("\n\n{}\n", kClosingWords)))),
      rules_(rules),
      inner_(std::move(inner)),
      ended_(std::move(ended)),
      watch_(vocabulary_) {
  if (reply.started_in_thinking) begin_thought(reply.begun.empty() ? '\n' : reply.begun.back());
}

void ThoughtLimit::prepare() {
  if (forced_.empty() && inner_) inner_->prepare();
}

bool ThoughtLimit::allowed_next(std::span<std::uint64_t> allowed) {
  if (forced_.empty()) {
    const bool is_bound = inner_ && inner_->allowed_next(allowed);
    if (in_thought_ || may_open()) return is_bound;
    if (!is_bound) std::fill(allowed.begin(), allowed.end(), ~std::uint64_t{0});
    return forbid_opening(allowed);
  }
  std::fill(allowed.begin(), allowed.end(), 0);
  const auto token = static_cast<std::size_t>(forced_.back());
  allowed[token / 64] |= std::uint64_t{1} << (token % 64);
  return true;
}

std::vector<std::int32_t> ThoughtLimit::forced_next(std::size_t most) {
  if (!forced_.empty()) {
    const std::size_t n = std::min(most, forced_.size());
    return {forced_.rbegin(), forced_.rbegin() + static_cast<std::ptrdiff_t>(n)};
  }
  if (in_thought_ || !inner_) return {};
  // What may come in a thought is decided once it has begun.
  std::vector<std::int32_t> tokens = inner_->forced_next(most);
  tokens.erase(std::ranges::find(tokens, open_), tokens.end());
  return tokens;
}

/// A thought takes at least its tags and the label.
bool ThoughtLimit::may_open() const {
  if (spent_) return false;
  return !rules_.budget || n_tokens_ + least_tokens() <= *rules_.budget;
}

std::string ThoughtLimit::why_none() const {
  if (in_thought_ || may_open()) return {};
  return fmt::format("a thought takes {} tokens at least, so none is opened", least_tokens());
}

/// Where nothing else may come it stays allowed.
bool ThoughtLimit::forbid_opening(std::span<std::uint64_t> allowed) const {
  const auto open = static_cast<std::size_t>(open_);
  const std::uint64_t bit = std::uint64_t{1} << (open % 64);
  allowed[open / 64] &= ~bit;
  const bool any =
      std::any_of(allowed.begin(), allowed.end(), [](std::uint64_t word) { return word != 0; });
  if (!any) allowed[open / 64] |= bit;
  return true;
}

void ThoughtLimit::accept(std::int32_t token) {
  if (inner_) inner_->accept(token);
  if (!forced_.empty()) {
    forced_.pop_back();
    ++n_tokens_;
    if (forced_.empty()) {
      in_thought_ = false;
      if (ended_ && *ended_) (*ended_)->tokens = n_tokens_;
    }
    return;
  }
  const auto tag = vocabulary_.tag_of(token);
  if (token == open_ && !in_thought_) {
    ++n_tokens_;
    label_left_ = label_;
    begin_thought('\n');
    return;
  }
  if (!in_thought_) return;
  if (tag == Tag::turn_close || tag == Tag::eos || tag == Tag::tool_call_open) {
    in_thought_ = false;
    return;
  }
  ++n_tokens_;
  if (token == close_) {
    in_thought_ = false;
    return;
  }
  if (!label_left_.empty() && label_left_.back() == token) {
    label_left_.pop_back();
  } else {
    label_left_.clear();
  }
  note_text(token);
  decide(rules_.ends_repetition && !watch_.push(token));
}

void ThoughtLimit::begin_thought(char last) {
  in_thought_ = true;
  watch_.reset();
  last_ = before_last_ = last;
  missing_ = 0;
  // Only where nothing else could come; the thought that was ended is told of.
  if (spent_) {
    forced_ = {close_};
    forced_.insert(forced_.end(), label_left_.begin(), label_left_.end());
  } else {
    decide(false);
  }
}

void ThoughtLimit::note_text(std::int32_t token) {
  std::string bytes;
  text::append_piece_bytes(vocabulary_, token, bytes);
  for (const char c : bytes) {
    before_last_ = std::exchange(last_, c);
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      missing_ = 0;
    } else if (byte >= 0xC0) {
      missing_ = byte >= 0xF0 ? 3 : byte >= 0xE0 ? 2 : 1;
    } else if (missing_ > 0) {
      --missing_;
    }
  }
}

void ThoughtLimit::decide(bool repeats) {
  if (repeats) return end_thought(EndedThought::Why::repetition);
  if (!rules_.budget) return;
  const std::int64_t budget = *rules_.budget;
  const auto n_words = std::ssize(last_ == '\n' ? words_ : words_after_text_);
  std::int64_t most = budget - 1 - std::max(kLongestTail, std::ssize(label_left_));
  if (budget >= 4 * n_words) most -= n_words;
  const std::int64_t grace = std::min(kLongestGrace, budget / 8);
  const bool is_spent = n_tokens_ >= most && (missing_ == 0 || n_tokens_ >= most + kLongestTail);
  if (is_spent || (n_tokens_ >= most - grace && label_left_.empty() && is_at_good_end())) {
    end_thought(EndedThought::Why::budget);
  }
}

/// A line, or a sentence: no number goes on behind the dot, as far as one can see.
bool ThoughtLimit::is_at_good_end() const {
  if (missing_ > 0) return false;
  if (last_ == '\n') return true;
  return (last_ == '.' || last_ == '!' || last_ == '?') && !is_digit(before_last_);
}

void ThoughtLimit::end_thought(EndedThought::Why why) {
  spent_ = true;
  forced_ = {close_};
  const auto& words = last_ == '\n' ? words_ : words_after_text_;
  const std::int64_t n_words = std::ssize(words);
  const std::int64_t n_after = n_tokens_ + std::ssize(label_left_) + n_words + 1;
  const bool fits = !rules_.budget || (*rules_.budget >= 4 * n_words && n_after <= *rules_.budget);
  if (fits) forced_.insert(forced_.end(), words.begin(), words.end());
  forced_.insert(forced_.end(), label_left_.begin(), label_left_.end());
  if (ended_) *ended_ = EndedThought{why, n_tokens_ + std::ssize(forced_)};
}

}  // namespace pleiad
