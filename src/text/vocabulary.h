#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/tags.h"
#include "text/token.h"
#include "text/tokenizer_spec.h"

namespace pleiad::text {

/// The pieces of a tokenizer: id -> text and kind, text -> id.
class Vocabulary {
 public:
  /// Copies what it needs from the spec. Throws LoadError: a piece twice, a byte
  /// without its piece, more pieces than we can count.
  explicit Vocabulary(const TokenizerSpec& spec);

  std::size_t size() const { return kinds_.size(); }
  bool contains(TokenId id) const { return id >= 0 && static_cast<std::size_t>(id) < size(); }
  /// As in the file, with "▁" for a space. [id] must be contained.
  std::string_view text(TokenId id) const {
    return {arena_.data() + starts_[id], starts_[id + 1] - starts_[id]};
  }
  PieceKind kind(TokenId id) const { return kinds_[id]; }

  /// -1 where there is no such piece.
  TokenId find(std::string_view text) const { return find(text, hash(text)); }
  /// The same for many: their memory accesses overlap instead of waiting for each
  /// other, which is most of the time it takes to load a tokenizer.
  void find_many(std::span<const std::string_view> texts, std::span<TokenId> ids) const;

  TokenId byte_piece(std::uint8_t byte) const { return byte_pieces_[byte]; }
  /// The byte that a piece of kind `byte` stands for.
  std::uint8_t byte_value(TokenId id) const;

  std::optional<TokenId> tag(Tag tag) const;
  std::optional<Tag> tag_of(TokenId id) const;

  std::optional<TokenId> bos() const { return bos_; }
  std::optional<TokenId> eos() const { return eos_; }
  std::optional<TokenId> unk() const { return unk_; }
  std::optional<TokenId> pad() const { return pad_; }

  /// A number that other pieces, or the same in another order, hardly ever have too.
  std::uint64_t fingerprint() const;

  static constexpr std::size_t kMaxPieces = (std::size_t{1} << 21) - 1;

 private:
  struct Slot {
    std::uint32_t check = 0;  // the half of the hash that did not choose the slot
    TokenId id = -1;
  };

  static std::uint64_t hash(std::string_view text);
  TokenId find(std::string_view text, std::uint64_t hash) const;
  void copy_texts(const TokenizerSpec& spec);
  void index_texts(const std::string& source);
  void find_bytes_and_tags(const std::string& source);

  std::string arena_;
  std::vector<std::uint32_t> starts_;  // [size + 1], into arena_
  std::vector<PieceKind> kinds_;       // [size]
  std::vector<Slot> slots_;            // a power of two, at most half full
  std::array<TokenId, 256> byte_pieces_;
  std::array<TokenId, kTagTexts.size()> tags_;
  std::optional<TokenId> bos_, eos_, unk_, pad_;
};

}  // namespace pleiad::text
