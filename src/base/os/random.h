#pragma once

#include <cstddef>
#include <span>

namespace pleiad::os {

/// Fills `bytes` with random ones fit for keys; false, and errno, where the system gives none.
bool fill_random(std::span<std::byte> bytes);

}  // namespace pleiad::os
