#include "constrain/replies/open_reply.h"

#include "text/tags.h"

namespace pleiad::constrain {
void OpenReply::prepare() {
  if (open_) open_->prepare();
}

bool OpenReply::allowed_next(std::span<std::uint64_t> allowed) {
  return open_ && open_->allowed_next(allowed);
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
