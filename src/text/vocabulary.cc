#include "text/vocabulary.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "base/check.h"
#include "base/error.h"
#include "base/text_format.h"

namespace pleiad::text {

Vocabulary::Vocabulary(const TokenizerSpec& spec)
    : kinds_(spec.kinds), bos_(spec.bos), eos_(spec.eos), unk_(spec.unk), pad_(spec.pad) {
  CHECK(spec.kinds.size() == spec.pieces.size());
  if (spec.pieces.size() > kMaxPieces) {
    throw LoadError("{}: a vocabulary of {} pieces; at most {} are supported", spec.source,
                    format_count(spec.pieces.size()), format_count(kMaxPieces));
  }
  copy_texts(spec);
  index_texts(spec.source);
  find_bytes_and_tags(spec.source);
}

void Vocabulary::copy_texts(const TokenizerSpec& spec) {
  std::size_t total = 0;
  for (const std::string_view piece : spec.pieces) total += piece.size();
  if (total > std::numeric_limits<std::uint32_t>::max()) {
    throw LoadError("{}: the texts of the vocabulary take {}", spec.source, format_bytes(total));
  }
  arena_.reserve(total);
  starts_.reserve(spec.pieces.size() + 1);
  starts_.push_back(0);
  for (const std::string_view piece : spec.pieces) {
    arena_.append(piece);
    starts_.push_back(static_cast<std::uint32_t>(arena_.size()));
  }
}

void Vocabulary::index_texts(const std::string& source) {
  slots_.resize(std::bit_ceil(size() * 2 + 2));
  constexpr TokenId kAhead = 16;  // slots are fetched before they are needed
  std::uint64_t upcoming[kAhead] = {};
  const auto n_pieces = static_cast<TokenId>(size());
  for (TokenId next = 0; next < n_pieces + kAhead; ++next) {
    const TokenId id = next - kAhead;
    const std::uint64_t hashed = upcoming[next % kAhead];
    if (next < n_pieces) {
      upcoming[next % kAhead] = hash(text(next));
      __builtin_prefetch(&slots_[upcoming[next % kAhead] & (slots_.size() - 1)], 1);
    }
    if (id < 0 || text(id).empty()) continue;
    const std::string_view piece = text(id);
    const auto check = static_cast<std::uint32_t>(hashed >> 32);
    std::size_t at = hashed & (slots_.size() - 1);
    for (; slots_[at].id >= 0; at = (at + 1) & (slots_.size() - 1)) {
      if (slots_[at].check == check && text(slots_[at].id) == piece) {
        throw LoadError("{}: pieces {} and {} are both '{}'", source, slots_[at].id, id,
                        printable(piece));
      }
    }
    slots_[at] = {check, id};
  }
}

void Vocabulary::find_bytes_and_tags(const std::string& source) {
  byte_pieces_.fill(-1);
  for (int byte = 0; byte < 256; ++byte) {
    const std::string piece = fmt::format("<0x{:02X}>", byte);
    byte_pieces_[byte] = find(piece);
    if (byte_pieces_[byte] < 0) {
      throw LoadError("{}: the vocabulary has no byte piece '{}'", source, piece);
    }
  }
  for (std::size_t tag = 0; tag < kTagTexts.size(); ++tag) tags_[tag] = find(kTagTexts[tag]);
}

std::uint64_t Vocabulary::hash(std::string_view text) {
  constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15;
  std::uint64_t state = text.size() * kFactor;
  const auto mix = [&](const char* from, std::size_t count) {
    std::uint64_t word = 0;
    std::memcpy(&word, from, count);
    state = (state ^ word) * kFactor;
    state ^= state >> 29;
  };
  const char* at = text.data();
  std::size_t left = text.size();
  for (; left >= 8; at += 8, left -= 8) mix(at, 8);
  if (left > 0) mix(at, left);
  state *= kFactor;
  return state ^ state >> 32;
}

TokenId Vocabulary::find(std::string_view piece, std::uint64_t hashed) const {
  if (piece.empty()) return -1;
  const auto check = static_cast<std::uint32_t>(hashed >> 32);
  std::size_t at = hashed & (slots_.size() - 1);
  for (; slots_[at].id >= 0; at = (at + 1) & (slots_.size() - 1)) {
    if (slots_[at].check == check && text(slots_[at].id) == piece) return slots_[at].id;
  }
  return -1;
}

std::uint8_t Vocabulary::byte_value(TokenId id) const {
  const auto byte = parse_byte_piece(text(id));
  CHECK(byte, "piece {} is not a byte", id);
  return *byte;
}

void Vocabulary::find_many(std::span<const std::string_view> texts, std::span<TokenId> ids) const {
  constexpr std::size_t kBatch = 64;
  std::uint64_t hashes[kBatch];
  for (std::size_t begin = 0; begin < texts.size(); begin += kBatch) {
    const std::size_t count = std::min(kBatch, texts.size() - begin);
    const auto first_slot = [&](std::size_t i) -> const Slot& {
      return slots_[hashes[i] & (slots_.size() - 1)];
    };
    for (std::size_t i = 0; i < count; ++i) {
      hashes[i] = hash(texts[begin + i]);
      __builtin_prefetch(&first_slot(i));
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (first_slot(i).id >= 0) __builtin_prefetch(&starts_[first_slot(i).id]);
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (first_slot(i).id >= 0) __builtin_prefetch(&arena_[starts_[first_slot(i).id]]);
    }
    for (std::size_t i = 0; i < count; ++i) ids[begin + i] = find(texts[begin + i], hashes[i]);
  }
}

std::uint64_t Vocabulary::fingerprint() const {
  // FNV-1a, over the length and the bytes of every piece.
  std::uint64_t sum = 0xCBF29CE484222325;
  const auto take = [&](std::uint64_t byte) { sum = (sum ^ byte) * 0x100000001B3; };
  for (std::size_t id = 0; id < size(); ++id) {
    const std::string_view piece = text(static_cast<TokenId>(id));
    for (unsigned shift = 0; shift < 32; shift += 8) take(piece.size() >> shift & 0xFF);
    for (const char c : piece) take(static_cast<unsigned char>(c));
  }
  return sum;
}

std::optional<TokenId> Vocabulary::tag(Tag tag) const {
  const TokenId id = tags_[static_cast<std::size_t>(tag)];
  return id < 0 ? std::nullopt : std::optional(id);
}

std::optional<Tag> Vocabulary::tag_of(TokenId id) const {
  if (!contains(id) || !is_control(kind(id))) return std::nullopt;
  return find_tag(text(id));
}

}  // namespace pleiad::text
