#include "text/stream_decoder.h"

#include "base/utf8.h"
#include "text/space_mark.h"

namespace pleiad::text {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// Moves whole characters from the front of `bytes` to `out`. What may still
/// become a character stays, unless the text is `complete`.
void take_characters(std::string& bytes, std::string& out, bool complete) {
  std::string_view rest = bytes;
  while (!rest.empty()) {
    const std::size_t length = utf8_length(rest);
    if (length == 0 && !complete && utf8_is_incomplete(rest)) break;
    out += length == 0 ? kReplacement : rest.substr(0, length);
    rest.remove_prefix(length == 0 ? 1 : length);
  }
  bytes.erase(0, bytes.size() - rest.size());
}

}  // namespace

void append_piece_bytes(const Vocabulary& vocabulary, TokenId token, std::string& out) {
  if (!vocabulary.contains(token)) return;
  const PieceKind kind = vocabulary.kind(token);
  if (is_control(kind)) return;
  if (kind == PieceKind::byte) {
    out += static_cast<char>(vocabulary.byte_value(token));
    return;
  }
  std::string_view piece = vocabulary.text(token);
  for (std::size_t mark; (mark = piece.find(kSpaceMark)) != std::string_view::npos;) {
    (out += piece.substr(0, mark)) += ' ';
    piece.remove_prefix(mark + kSpaceMark.size());
  }
  out += piece;
}

std::string StreamDecoder::push(TokenId token) {
  std::string out;
  if (vocabulary_.contains(token) && is_control(vocabulary_.kind(token))) {
    if (!options_.show_control) return out;
    take_characters(pending_, out, true);
    return out += vocabulary_.text(token);
  }
  append_piece_bytes(vocabulary_, token, pending_);
  take_characters(pending_, out, false);
  return out;
}

std::string StreamDecoder::finish() {
  std::string out;
  take_characters(pending_, out, true);
  return out;
}

std::string decode_all(const Vocabulary& vocabulary, std::span<const TokenId> tokens,
                       DecodeOptions options) {
  StreamDecoder decoder(vocabulary, options);
  std::string out;
  for (const TokenId token : tokens) out += decoder.push(token);
  return out += decoder.finish();
}

}  // namespace pleiad::text
