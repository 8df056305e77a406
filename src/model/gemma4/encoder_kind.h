#pragma once

#include <array>
#include <cstdint>

namespace pleiad::gemma4 {

/// What a checkpoint has beside its text model: a tower for pictures and one for sounds, or the
/// 12B's embedders in their places.
enum class EncoderKind : std::uint8_t { vision, audio };

inline constexpr std::array kEncoderKinds = {EncoderKind::vision, EncoderKind::audio};

/// One of each.
template <typename T>
struct PerEncoder {
  T vision = {};
  T audio = {};

  T& of(EncoderKind kind) { return kind == EncoderKind::vision ? vision : audio; }
  const T& of(EncoderKind kind) const { return kind == EncoderKind::vision ? vision : audio; }
};

}  // namespace pleiad::gemma4
