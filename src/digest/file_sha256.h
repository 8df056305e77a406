#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "base/result.h"

namespace pleiad {

/// Of a file, as 64 hex digits. `goes_on` is told how many bytes were read, after each MiB or so
/// and at the end, and ends it with false. A Failure is a sentence without its subject: "cannot be
/// read", "cannot be read to its end", "stopped".
Result<std::string> sha256_of_file(const std::filesystem::path& path,
                                   const std::function<bool(std::uint64_t so_far)>& goes_on);

}  // namespace pleiad
