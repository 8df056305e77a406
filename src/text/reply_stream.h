#pragma once

#include <span>
#include <utility>
#include <vector>

#include "text/reply_parser.h"
#include "text/stream_decoder.h"

namespace pleiad::text {

/// Tokens of a reply -> events: StreamDecoder and ReplyParser in one. Control
/// tokens are known by their id; whether spelled tags count, the options say.
class ReplyStream {
 public:
  ReplyStream(const Vocabulary& vocabulary, ReplyOptions options)
      : vocabulary_(vocabulary), decoder_(vocabulary), parser_(std::move(options)) {}

  std::vector<ReplyEvent> push(TokenId token);
  std::vector<ReplyEvent> finish(bool cut_off);
  const ReplyParser& parser() const { return parser_; }

 private:
  const Vocabulary& vocabulary_;
  StreamDecoder decoder_;
  ReplyParser parser_;
};

}  // namespace pleiad::text
