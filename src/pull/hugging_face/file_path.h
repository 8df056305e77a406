#pragma once

#include <string>
#include <string_view>

namespace pleiad::pull::hugging_face {

/// Why a name from a hub cannot become a path below a folder of ours, as a sentence without its
/// subject; empty where it can. It can where it is UTF-8 of 1024 bytes at most, in 16 parts of 255
/// bytes at most, none of them empty, "." or "..", without control characters and backslashes.
/// Revisions are held to the same, since they become paths as well.
std::string path_problem(std::string_view path);

}  // namespace pleiad::pull::hugging_face
