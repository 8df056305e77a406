#pragma once

#include <cstdint>
#include <string_view>

// What both readers of a tower's configuration share. The limits are far above every model
// and keep all products of sizes small.

namespace pleiad::gemma4 {

/// What projector files call the two kinds.
inline constexpr std::string_view kTowerType = "gemma4v";
inline constexpr std::string_view kEmbedderType = "gemma4uv";

inline constexpr std::int64_t kMaxPatchSize = 256;
inline constexpr std::int64_t kMaxPooling = 64;
inline constexpr std::int64_t kMaxVisionPositions = 1 << 20;

}  // namespace pleiad::gemma4
