#include "constrain/open_reply.h"

#include "text/tags.h"

namespace pleiad::constrain {
namespace {

bool is_tag(const TokenTrie& trie, std::int32_t token, text::Tag tag) {
  const auto spelling = trie.spelling(token);
  return spelling.size() == 1 && spelling.front() == symbol_of(tag);
}

}  // namespace

void OpenReply::prepare() {
  if (open_) open_->prepare();
}

bool OpenReply::allowed_next(std::span<std::uint64_t> allowed) {
  return open_ && open_->allowed_next(allowed);
}

void OpenReply::accept(std::int32_t token) {
  if (!open_) {
    if (!is_tag(call_->trie(), token, text::Tag::tool_call_open)) return;
    open_.emplace(call_);
  }
  open_->accept(token);
  if (is_tag(call_->trie(), token, text::Tag::tool_call_close)) open_.reset();
}

}  // namespace pleiad::constrain
