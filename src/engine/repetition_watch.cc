#include "engine/repetition_watch.h"

#include <string>
#include <string_view>

#include "text/stream_decoder.h"

namespace pleiad {

sampling::RepetitionGuard::Kind kind_for_repetition(const text::Vocabulary& vocabulary,
                                                    text::TokenId token) {
  using Kind = sampling::RepetitionGuard::Kind;
  std::string bytes;
  text::append_piece_bytes(vocabulary, token, bytes);
  if (bytes.empty()) return Kind::others;
  if (bytes.find_first_not_of(" \t\n\v\f\r") == std::string::npos) return Kind::blank;
  int n_letters = 0;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80) return Kind::word;  // of another script, or a part of its letter
    n_letters += (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ? 1 : 0;
  }
  return n_letters >= 2 ? Kind::word : Kind::others;
}

bool RepetitionWatch::push(text::TokenId token) {
  return guard_.push(token, kind_for_repetition(*vocabulary_, token));
}

}  // namespace pleiad
