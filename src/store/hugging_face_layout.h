#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace pleiad::store {

// The cache that Python's huggingface_hub keeps, a folder for each repository:
//
//   models--user--repo/blobs/<etag>                 the bytes of a file
//                      blobs/<etag>.incomplete      the beginning of them (of others also
//                      blobs/<etag>.0123abcd.incomplete)
//                      snapshots/<commit>/<path>    -> ../../blobs/<etag>
//                      refs/<revision>              the commit that a branch or tag meant last
//   .locks/models--user--repo/<etag>.lock           locked (flock) while a file is downloaded

inline constexpr std::string_view kIncomplete = ".incomplete";

/// The folder of "user/repo" in the cache: "models--user--repo".
std::string repository_folder(std::string_view repository);

/// "user/repo" of such a folder; empty where it is none.
std::string repository_name(std::string_view folder);

/// 40 hex digits in lower case.
bool is_commit(std::string_view text);

/// What a file below refs/ notes; empty where it notes nothing that a folder could be called.
std::string noted_commit(const std::filesystem::path& ref);

/// The file that is locked while one with this etag is downloaded.
std::filesystem::path download_lock(const std::filesystem::path& hub, std::string_view folder,
                                    std::string_view etag);

}  // namespace pleiad::store
