#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "text/encoded_pieces.h"
#include "text/merge_table.h"
#include "text/tokenizer_spec.h"
#include "text/vocabulary.h"

namespace pleiad::text {

/// Byte-pair merging: text -> pieces. Starts from single characters and joins,
/// again and again, the neighbours of the lowest rank (leftmost on a tie). Merges
/// that would make a control or a byte piece of text are left out.
class Bpe {
 public:
  /// Throws LoadError when a merge names a piece that does not exist.
  Bpe(const Vocabulary& vocabulary, const TokenizerSpec& spec);

  /// Appends the pieces of `text`, spaces as "▁". A character without a piece,
  /// and a byte that is not UTF-8, become byte pieces. O(n log n). Throws Error beyond 1 GiB.
  /// False where it ended before the text did: the limit of `out` was reached.
  bool encode(std::string_view text, EncodedPieces& out) const;

  /// Whether some merge may join what ends with `left` and what begins with `right`; where
  /// none does, both sides can be encoded apart.
  bool may_join(char32_t left, char32_t right) const;

 private:
  struct Scratch;

  TokenId piece_of(char32_t character, std::string_view spelled) const;
  void add_merges(const TokenizerSpec& spec, std::size_t first_rank, std::size_t count);
  bool merge_run(Scratch& scratch, EncodedPieces& out) const;
  void merge_short(std::vector<TokenId>& symbols, std::vector<TokenId>& out) const;
  void merge_long(Scratch& scratch, std::vector<TokenId>& out) const;

  const Vocabulary& vocabulary_;
  MergeTable merges_;
  JoinFilter joins_;
  std::vector<TokenId> ascii_;  // [128]: the piece of each ASCII character, or -1
  TokenId space_ = -1;          // "▁"
};

}  // namespace pleiad::text
