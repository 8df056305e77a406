#pragma once

#include <cstdint>
#include <optional>

namespace pleiad::os {

/// The memory that is resident now, file pages included (VmRSS), in bytes; empty
/// where the system does not say.
std::optional<std::uint64_t> resident_bytes();

/// Forgets how large this process once was, so that the peak is that of what
/// follows; false where the system does not offer it.
bool reset_peak_resident();

/// The most memory that was resident at once since then, file pages included
/// (VmHWM), in bytes; empty where the system does not say.
std::optional<std::uint64_t> peak_resident_bytes();

}  // namespace pleiad::os
