#pragma once

#include <cstdint>
#include <filesystem>

namespace pleiad {

/// Throws Error that names the path where less than `bytes` are free where the file
/// or folder is to be. Space that cannot be asked for is no reason, nor is what
/// takes none (a device, a pipe).
void check_free_space(const std::filesystem::path& path, std::uint64_t bytes);

}  // namespace pleiad
