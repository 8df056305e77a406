#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "base/result.h"

namespace pleiad::store {

inline constexpr std::size_t kMaxManifestBytes = 4 << 20;

/// A small file as text. It is read, not mapped, because others may rewrite it
/// meanwhile. A Failure where it is missing, no regular file or larger than `limit`.
Result<std::string> read_small_file(const std::filesystem::path& path,
                                    std::size_t limit = kMaxManifestBytes);

}  // namespace pleiad::store
