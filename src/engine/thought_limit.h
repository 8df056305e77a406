#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/repetition_watch.h"
#include "sampling/token_constraint.h"
#include "text/reply_parser.h"
#include "text/tokenizer.h"

namespace pleiad {

/// When the thoughts of a reply are ended for the model.
struct ThoughtRules {
  /// Tokens that all thoughts of the reply may take together, the tags around them and the closing
  /// words included; empty: as many as the model likes.
  std::optional<std::int64_t> budget;
  bool ends_repetition = false;  // a thought that repeats itself (RepetitionGuard) is ended too

  bool any() const { return budget.has_value() || ends_repetition; }
};

/// That the model's thought was ended for it.
struct EndedThought {
  enum class Why : std::uint8_t { budget, repetition };
  Why why = Why::budget;
  std::int64_t tokens = 0;  // of the thoughts, with what ended them
};

/// "budget", "repetition"
std::string_view name(EndedThought::Why why);

/// The part of a reply that its thoughts may take.
struct ThinkingShare {
  std::optional<std::int64_t> budget;
  std::string problem;  // why that is not the budget that was asked for; else empty
};

/// Of a reply that may have `total` tokens, thoughts and answer together: a quarter of them, 1,024
/// at most, are left for the answer. Below 8 tokens there are too few for both, and no budget.
ThinkingShare share_for_thinking(std::int64_t budget, std::int64_t total);

/// What a thought says when it is ended: the model, which reads it as its own, turns to the answer.
inline constexpr std::string_view kClosingWords =
    "I have thought about this long enough. I will answer now.";

/// Ends the thoughts of one reply: puts the closing words there and the token that closes a
/// thought, so that cache and logits are those of a thought that the model ended so itself. They
/// are forced tokens: one step computes all of them. The reply then goes on with its answer.
///
/// A budget is never exceeded. From the last eighth of it on (64 tokens at most) the first end of a
/// line or a sentence is taken; else the thought is cut where the budget compels it, between whole
/// characters. Closing words that a small budget has no room for are left out. Once it is spent, or
/// where it has no room for an empty thought, none can be opened. Where the model opens none
/// nothing happens.
class ThoughtLimit final : public sampling::TokenConstraint {
 public:
  /// `reply`: how the reply is read; `inner`: what it has to obey besides, or null; `ended`: learns
  /// of the end that was put (may be null). The vocabulary outlives the limit, and has the tags of
  /// thoughts (see can_limit()).
  ThoughtLimit(const text::Tokenizer& tokenizer, ThoughtRules rules,
               const text::ReplyOptions& reply, std::unique_ptr<sampling::TokenConstraint> inner,
               std::shared_ptr<std::optional<EndedThought>> ended);

  static bool can_limit(const text::Vocabulary& vocabulary);

  /// Why no thought can be opened at all; empty where one can, or the prompt has begun one.
  std::string why_none() const;

  void prepare() override;
  bool allowed_next(std::span<std::uint64_t> allowed) override;
  std::vector<std::int32_t> forced_next(std::size_t most) override;
  void accept(std::int32_t token) override;
  /// Of an end that it puts the same `ended` learns.
  std::unique_ptr<sampling::TokenConstraint> copy() const override {
    return std::make_unique<ThoughtLimit>(*this);
  }

 private:
  /// Of a thought that says nothing.
  std::int64_t least_tokens() const { return 2 + std::ssize(label_); }
  bool may_open() const;
  bool forbid_opening(std::span<std::uint64_t> allowed) const;
  void begin_thought(char last);
  void note_text(std::int32_t token);
  void decide(bool repeats);
  void end_thought(EndedThought::Why why);
  bool is_at_good_end() const;

  const text::Vocabulary& vocabulary_;
  std::int32_t open_, close_;
  std::vector<std::int32_t> label_;             // what a thought begins with
  std::vector<std::int32_t> words_;             // behind a line break
  std::vector<std::int32_t> words_after_text_;  // with line breaks before them
  ThoughtRules rules_;
  sampling::OwnedConstraint inner_;
  std::shared_ptr<std::optional<EndedThought>> ended_;
  RepetitionWatch watch_;

  bool in_thought_ = false;
  bool spent_ = false;
  std::int64_t n_tokens_ = 0;         // of thoughts
  std::vector<std::int32_t> forced_;  // what has to come, the next one last
  char last_ = '\n';                  // bytes of the thought, and the one before
  char before_last_ = '\n';
  std::vector<std::int32_t> label_left_;  // of the thought that has begun, the next one last
  int missing_ = 0;                       // bytes of a character that has begun
};

}  // namespace pleiad
