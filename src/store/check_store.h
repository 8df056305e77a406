#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace pleiad::store {

/// Whether our own store holds what its names say.
struct StoreReport {
  std::size_t n_models = 0;
  std::size_t n_blobs = 0;
  std::uint64_t bytes = 0;            // of blobs, all read
  std::vector<std::string> problems;  // a sentence each: the file, what is wrong, whose it is
};

/// Reads every blob and compares its SHA-256 with its name, and every manifest with the blobs and
/// files that it needs. `progress(done, total)`, in bytes, may throw to end it. Nothing is changed,
/// and others may use the store meanwhile.
StoreReport check_store(const std::filesystem::path& store,
                        const std::function<void(std::uint64_t, std::uint64_t)>& progress);

}  // namespace pleiad::store
