#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>

namespace pleiad::store {

/// What was removed.
struct Leftovers {
  std::size_t n_files = 0;
  std::uint64_t bytes = 0;
};

/// Removes what processes that were killed had half written into our own store: blobs, manifests,
/// checkpoints. A file that somebody writes is locked by him (base/output_file.cc) and stays, as
/// does all that has no name which we give. Waits while the store changes. A store that is not
/// there stays so. Throws Error.
Leftovers remove_leftovers(const std::filesystem::path& store);

/// The name of a blob that is being written, or was: base/output_file.cc gives it.
bool is_half_a_blob(std::string_view name);

}  // namespace pleiad::store
