#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace pleiad::fit {

enum class Verdict : std::uint8_t { does_not_fit, tight, comfortable };

/// "does not fit", "tight", "comfortable"
std::string_view name(Verdict verdict);

/// Above this part of the memory other programs begin to press.
inline constexpr double kComfortableMemory = 0.85;
/// Tokens a second that people read at: about four words.
inline constexpr double kReadingRate = 5;

struct Judgement {
  Verdict verdict = Verdict::does_not_fit;
  std::string reason;  // empty where it is comfortable
};

/// does_not_fit: it needs more memory than there is. tight: it needs more than
/// kComfortableMemory of it, or a token takes longer than reading it.
Judgement judge(std::uint64_t needed_bytes, std::uint64_t memory_bytes, double decode_rate);

}  // namespace pleiad::fit
