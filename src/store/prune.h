#pragma once

#include <cstdint>
#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

namespace pleiad::store {

/// What of a store no model needs.
struct Unneeded {
  enum class Kind : std::uint8_t {
    blob,        // of no model's
    partial,     // a download that was interrupted, and would be resumed
    written,     // what a process that was ended had half written
    checkpoint,  // a folder of links, of no model's
  };
  std::filesystem::path path;
  std::uint64_t bytes = 0;  // that it takes
  Kind kind = Kind::blob;
};

/// "file that no model needs", "interrupted download", ...
std::string_view describe(Unneeded::Kind kind);

struct Prunable {
  std::vector<Unneeded> unneeded;
  /// What may be unneeded too but stays, as sentences: a file that somebody writes, a blob that
  /// came less than an hour ago, since who uploads files makes a model of them next.
  std::vector<std::string> kept;
};

/// What they take in all.
std::uint64_t bytes_of(const std::vector<Unneeded>& files);

/// Looks, and removes nothing. Waits while the store changes. Where a manifest cannot be read, who
/// knows what it needs: throws Error that names it.
Prunable find_prunable(const std::filesystem::path& store, std::time_t now);

struct Pruned {
  std::vector<Unneeded> removed;
  std::vector<std::string> failed;  // what could not be removed and why, as sentences
};

/// Removes those of `confirmed` that are still prunable. Throws Error as find_prunable() does.
Pruned prune(const std::filesystem::path& store, const std::vector<Unneeded>& confirmed,
             std::time_t now);

/// Removes a file or folder, and notes in `pruned` what came of it.
void remove_unneeded(const Unneeded& file, Pruned& pruned);

}  // namespace pleiad::store
