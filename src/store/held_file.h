#pragma once

#include <cstdint>
#include <ctime>
#include <filesystem>

namespace pleiad::store {

/// A file that is looked at, and perhaps removed, while it is held (flock), so that nobody begins
/// to write it meanwhile.
class HeldFile {
 public:
  explicit HeldFile(const std::filesystem::path& path);
  ~HeldFile();
  HeldFile(const HeldFile&) = delete;
  HeldFile& operator=(const HeldFile&) = delete;

  /// A regular file is there, no link, and it can be read.
  bool is_file() const { return is_file_; }
  /// Nobody else holds it; always false of what is no file.
  bool is_free() const { return is_free_; }
  std::uint64_t bytes() const { return bytes_; }
  std::time_t changed() const { return changed_; }

 private:
  int file_;
  std::uint64_t bytes_ = 0;
  std::time_t changed_ = 0;
  bool is_file_ = false;
  bool is_free_ = false;
};

}  // namespace pleiad::store
