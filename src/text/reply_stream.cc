#include "text/reply_stream.h"

#include <iterator>

namespace pleiad::text {
namespace {

std::vector<ReplyEvent> joined(std::vector<ReplyEvent> first, std::vector<ReplyEvent> second) {
  std::move(second.begin(), second.end(), std::back_inserter(first));
  return first;
}

}  // namespace

std::vector<ReplyEvent> ReplyStream::push(TokenId token) {
  const std::optional<Tag> tag = vocabulary_.tag_of(token);
  if (!tag) return parser_.push_text(decoder_.push(token));
  std::vector<ReplyEvent> events = parser_.push_text(decoder_.finish());
  return joined(std::move(events), parser_.push_control(*tag));
}

std::vector<ReplyEvent> ReplyStream::finish(bool cut_off) {
  std::vector<ReplyEvent> events = parser_.push_text(decoder_.finish());
  return joined(std::move(events), parser_.finish(cut_off));
}

}  // namespace pleiad::text
