#include "constrain/replies/open_reply.h"

#include <algorithm>

#include "text/tags.h"

namespace pleiad::constrain {
void OpenReply::prepare() {
  if (open_) open_->prepare();
}

bool OpenReply::allowed_next(std::span<std::uint64_t> allowed) {
  return open_ && open_->allowed_next(allowed);
}

std::vector<std::int32_t> OpenReply::forced_next(std::size_t most) {
  if (!open_) return {};
  std::vector<std::int32_t> tokens = open_->forced_next(most);
  // Behind the call its grammar says nothing.
  const auto close = std::ranges::find_if(tokens, [&](std::int32_t token) {
    return call_->trie().is(token, symbol_of(text::Tag::tool_call_close));
  });
  if (close != tokens.end()) tokens.erase(close + 1, tokens.end());
  return tokens;
}

void OpenReply::accept(std::int32_t token) {
  if (!open_) {
    if (!call_->trie().is(token, symbol_of(text::Tag::tool_call_open))) return;
    open_.emplace(call_);
  }
  open_->accept(token);
  if (call_->trie().is(token, symbol_of(text::Tag::tool_call_close))) open_.reset();
}

}  // namespace pleiad::constrain
