#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "digest/sha256.h"
#include "download/surroundings.h"
#include "download/trouble.h"

namespace pleiad::download {

/// A file that grows at its end, locked against other processes, with the SHA-256 of all that is in
/// it. For one thread at a time, but size() and what says otherwise.
class PartialFile {
 public:
  /// Opens what is there, or makes it. Trouble::busy where somebody else has it locked.
  static Outcome<std::unique_ptr<PartialFile>> open(const std::filesystem::path& path);
  ~PartialFile();
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::uint64_t size() const { return size_; }

  /// Cuts it there. What is left has to be hashed.
  std::optional<Problem> cut(std::uint64_t size);
  /// Reads what is there. `so_far` is told how much of it.
  std::optional<Problem> hash(const std::function<void(std::uint64_t)>& so_far, const Stop& stop);
  /// The two halves of appending, each in the order of the file; a thread for each may do them at
  /// once. What was written before the disk was full stays.
  std::optional<Problem> write(std::span<const std::byte> bytes);
  void add_to_sum(std::span<const std::byte> bytes) { sum_->add(bytes); }
  /// 64 hex digits; once, and nothing is appended then.
  std::string sha256() { return sum_->hex(); }
  /// To the disk.
  std::optional<Problem> sync();
  /// Unless it has another name by now.
  void remove();

 private:
  PartialFile(const std::filesystem::path& path, int file, std::uint64_t size);
  Problem trouble(const char* what, int error_number) const;

  const std::filesystem::path path_;
  const int file_;
  std::atomic<std::uint64_t> size_;
  std::uint64_t handed_on_;  // so much of it the disk was asked to write
  std::optional<Sha256> sum_;
};

}  // namespace pleiad::download
