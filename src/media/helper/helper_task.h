#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace pleiad::media {

/// What a helper may use at most.
struct HelperLimits {
  std::uint64_t memory_bytes = 0;  // of addresses; does not hold under sanitizers, which take more
  std::uint64_t cpu_seconds = 0;
};

/// What a helper is there for. The libraries for sounds and videos take twenty times as long to
/// load as all the rest, so that one for pictures does without.
enum class HelperKind : std::uint8_t { picture, stream };
inline constexpr int kHelperKinds = 2;

struct HelperTask {
  HelperKind kind = HelperKind::picture;
  HelperLimits limits;
};

/// The task as the last arguments of a helper's command line, and read from there. The second
/// throws Error.
std::vector<std::string> helper_arguments(const HelperTask& task);
HelperTask helper_task(std::span<const char* const> arguments);

}  // namespace pleiad::media
