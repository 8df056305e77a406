#pragma once

#include <span>
#include <string>
#include <string_view>

#include "text/token.h"
#include "text/vocabulary.h"

namespace pleiad::text {

struct DecodeOptions {
  bool show_control = false;  // print "<turn|>" instead of nothing
};

/// Tokens -> text, piece by piece as they are generated. Only whole UTF-8
/// characters come out; an unfinished one waits for its next byte piece. A byte
/// that cannot be part of a character comes out as "�". What comes out in parts is
/// what decode_all() returns in one.
class StreamDecoder {
 public:
  explicit StreamDecoder(const Vocabulary& vocabulary, DecodeOptions options = {})
      : vocabulary_(vocabulary), options_(options) {}

  std::string push(TokenId token);
  /// The rest, at the end of the stream; afterwards a new stream may begin.
  std::string finish();

 private:
  const Vocabulary& vocabulary_;
  DecodeOptions options_;
  std::string pending_;  // an unfinished character, at most three bytes
};

std::string decode_all(const Vocabulary& vocabulary, std::span<const TokenId> tokens,
                       DecodeOptions options);

/// Appends what the piece stands for: " " for "▁", the byte of a byte piece,
/// nothing for a control token or an id that the vocabulary lacks.
void append_piece_bytes(const Vocabulary& vocabulary, TokenId token, std::string& out);

}  // namespace pleiad::text
