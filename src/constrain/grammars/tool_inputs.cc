#include "constrain/grammars/tool_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "constrain/grammars/text_grammar.h"
#include "text/tags.h"

namespace pleiad::constrain::grammars {
using text::Tag;

const Json* input_grammar(const Json& tool) {
  const Json* function = find_member(tool, "function");
  const Json* format = function ? find_member(*function, "format") : nullptr;
  return format && is_text_grammar(*format) ? format : nullptr;
}

ToolInputs::ToolInputs(std::shared_ptr<const TokenTrie> trie, Grammars grammars,
                       std::unique_ptr<sampling::TokenConstraint> calls)
    : trie_(std::move(trie)), grammars_(std::move(grammars)), calls_(std::move(calls)) {}

void ToolInputs::prepare() {
  calls_->prepare();
  if (input_) input_->prepare();
}

bool ToolInputs::allowed_next(std::span<std::uint64_t> allowed) {
  const bool is_held = calls_->allowed_next(allowed);
  if (!input_) return is_held;
  may_come_.assign(allowed.size(), 0);
  input_->allowed_next(may_come_);
  const auto word = [&](std::int32_t token) -> std::uint64_t& {
    return may_come_[static_cast<std::size_t>(token) / 64];
  };
  const auto bit = [](std::int32_t token) { return std::uint64_t{1} << (token % 64); };
  // Where the grammar may end, the text does, and not the reply.
  bool may_end = false;
  for (const std::int32_t end : trie_->tokens_of(kEnd)) {
    may_end = may_end || (word(end) & bit(end)) != 0;
    word(end) &= ~bit(end);
  }
  if (may_end) {
    for (const std::int32_t quote : trie_->tokens_of(symbol_of(Tag::quote)))
      word(quote) |= bit(quote);
  }
  std::uint64_t any = 0;
  for (std::size_t i = 0; i < allowed.size(); ++i) {
    allowed[i] = is_held ? allowed[i] & may_come_[i] : may_come_[i];
    any |= allowed[i];
  }
  if (any == 0) {
    throw sampling::ConstraintError(
        "the grammar of a tool asks for a character that its calls cannot have");
  }
  return true;
}

std::vector<std::int32_t> ToolInputs::forced_next(std::size_t most) {
  // Within a text both say what may come.
  if (input_) return {};
  std::vector<std::int32_t> tokens = calls_->forced_next(most);
  // A quote may begin one.
  const auto quote = std::ranges::find_if(
      tokens, [&](std::int32_t token) { return trie_->is(token, symbol_of(Tag::quote)); });
  if (quote != tokens.end()) tokens.erase(quote + 1, tokens.end());
  return tokens;
}

void ToolInputs::accept(std::int32_t token) {
  calls_->accept(token);
  follow_call(token);
}

void ToolInputs::follow_call(std::int32_t token) {
  const bool is_quote = trie_->is(token, symbol_of(Tag::quote));
  if (input_ && !is_quote) return input_->accept(token);
  if (trie_->is(token, symbol_of(Tag::tool_call_open))) {
    call_.emplace();
    return;
  }
  if (trie_->is(token, symbol_of(Tag::tool_call_close))) call_.reset();
  if (!call_) return;
  if (!is_quote) {
    for (const Symbol symbol : trie_->spelling(token)) {
      if (symbol < kFirstTag) *call_ += static_cast<char>(symbol);
    }
    return;
  }
  // The text is all that such a call has: its first quote begins it, or another call's.
  const bool begins = !input_;
  input_.reset();
  for (const auto& [name, grammar] : grammars_) {
    if (begins && *call_ == fmt::format("call:{}{{{}:", name, kToolInput)) input_.emplace(grammar);
  }
  if (!input_) call_.reset();
}

}  // namespace pleiad::constrain::grammars
