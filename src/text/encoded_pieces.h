#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "text/encode_limit.h"

namespace pleiad::text {

/// Where the pieces of a text go while it is encoded, and whether it is worth to go on.
class EncodedPieces {
 public:
  /// `longest_piece` [bytes]: 0 where none is known.
  EncodedPieces(const EncodeLimit& limit, std::size_t longest_piece)
      : limit_(limit),
        longest_piece_(longest_piece),
        longest_run_(limit.wants_them || longest_piece == 0 ? kUnlimited : kAlwaysFine),
        look_at_(limit.stop ? kLookEvery : limit.tokens) {
    look_at_ = std::min(look_at_, limit.tokens);
  }

  void push_back(TokenId id) { tokens_.push_back(id); }
  void push_media(int media) {
    media_.push_back({.at = tokens_.size(), .media = media});
    tokens_.push_back(kMediaToken);
  }
  std::vector<TokenId>& tokens() { return tokens_; }

  /// Asked whenever pieces have come to stay.
  bool may_go_on() { return tokens_.size() <= look_at_ || look(); }

  /// Whether a run of so many characters, which are merged once it has ended, can still give
  /// few enough pieces. No character has less than a byte.
  bool has_room_for_run(std::size_t n_characters) {
    return n_characters <= longest_run_ || has_room_for_long_run(n_characters);
  }

  Encoding encoding(bool whole, std::uint64_t least_count) && {
    Encoding result;
    result.least_count =
        whole ? tokens_.size() : std::max<std::uint64_t>(least_count, tokens_.size() + run_pieces_);
    result.tokens = std::move(tokens_);
    result.media = std::move(media_);
    result.whole = whole;
    return result;
  }

 private:
  static constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t kLookEvery = 4096;  // tokens
  static constexpr std::size_t kAlwaysFine = 256;  // characters: soon merged

  bool look() {
    if (tokens_.size() > limit_.tokens) return false;
    look_at_ = std::min(limit_.tokens, tokens_.size() + kLookEvery);
    return !limit_.stop();  // there is one: it is why this is before the limit
  }

  bool has_room_for_long_run(std::size_t n_characters) {
    const std::size_t pieces = (n_characters + longest_piece_ - 1) / longest_piece_;
    if (pieces <= limit_.tokens - tokens_.size()) return true;
    run_pieces_ = pieces;
    return false;
  }

  const EncodeLimit& limit_;
  const std::size_t longest_piece_;
  const std::size_t longest_run_;  // that needs no thought
  std::size_t look_at_;            // with more tokens than these
  std::size_t run_pieces_ = 0;     // of the run that was too long
  std::vector<TokenId> tokens_;
  std::vector<EncodedMedia> media_;
};

}  // namespace pleiad::text
