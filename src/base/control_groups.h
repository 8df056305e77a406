#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace pleiad {

/// Folders of the control groups that limit this process: for each hierarchy the group that it is
/// in and all above it, from the top down. In a container /proc may name a group of outside: then
/// the folders that are not there limit nothing, and files in them cannot be opened. `root` is
/// where /proc and /sys stand.
///
/// See cgroups(7).
std::vector<std::filesystem::path> control_groups(const std::filesystem::path& root);

/// The same of version 1, where each controller ("cpu", "memory") has a hierarchy, maybe with
/// others.
std::vector<std::filesystem::path> version_1_control_groups(const std::filesystem::path& root,
                                                            std::string_view controller);

}  // namespace pleiad
