#pragma once

#include <cstdint>

namespace pleiad::text {

/// Index of a piece in the vocabulary.
using TokenId = std::int32_t;

enum class PieceKind : std::uint8_t {
  normal,
  unknown,       // <unk>
  control,       // <bos>, <turn|>: steers the model, is never part of what a user wrote
  user_defined,  // text that is cut out whole before merging
  unused,
  byte,  // <0x00> to <0xFF>
};

/// Pieces that text from a user must never turn into, and that a reader of a
/// reply must not see.
constexpr bool is_control(PieceKind kind) {
  return kind == PieceKind::control || kind == PieceKind::unknown;
}

}  // namespace pleiad::text
