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
        is_bounded_(!limit.wants_them && longest_piece > 0 &&
                    limit.tokens < kUnlimited / longest_piece) {
    find_longest_run();
  }

  void push_back(TokenId id) { tokens_.push_back(id); }
  std::vector<TokenId>& tokens() { return tokens_; }

  /// Asked whenever pieces have come to stay.
  bool may_go_on() {
    if (tokens_.size() > limit_.tokens) return false;
    find_longest_run();
    return !limit_.stop || ++n_asked_ % kAskEvery != 0 || !limit_.stop();
  }

  /// Whether a run of so many characters, which are merged once it has ended, can still give
  /// few enough pieces.
  bool has_room_for_run(std::size_t n_characters) {
    if (n_characters <= longest_run_) return true;
    run_pieces_ = (n_characters + longest_piece_ - 1) / longest_piece_;
    return false;
  }

  Encoding encoding(bool whole, std::uint64_t least_count) && {
    Encoding result;
    result.least_count =
        whole ? tokens_.size() : std::max<std::uint64_t>(least_count, tokens_.size() + run_pieces_);
    result.tokens = std::move(tokens_);
    result.whole = whole;
    return result;
  }

 private:
  static constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();
  static constexpr std::uint32_t kAskEvery = 1024;

  void find_longest_run() {
    if (is_bounded_) longest_run_ = (limit_.tokens - tokens_.size()) * longest_piece_;
  }

  const EncodeLimit& limit_;
  const std::size_t longest_piece_;
  const bool is_bounded_;
  std::size_t longest_run_ = kUnlimited;  // of characters, none of which has less than a byte
  std::size_t run_pieces_ = 0;            // of the run that was too long
  std::uint32_t n_asked_ = 0;
  std::vector<TokenId> tokens_;
};

}  // namespace pleiad::text
