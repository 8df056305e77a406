#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace pleiad {

/// A file that is whole or not there. What is written goes to a temporary file
/// beside `path`, which takes its place in finish(); without that (an exception,
/// a full disk) it is removed, and an older file stays as it was. A link is
/// followed; what is no regular file (a device, a pipe) is written directly.
class OutputFile {
 public:
  /// `mode` as of open(2). Throws Error that names the path.
  explicit OutputFile(const std::filesystem::path& path, unsigned mode = 0666);
  /// Takes over an open descriptor and writes directly into it; `name` is for messages.
  OutputFile(int descriptor, const std::string& name);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Throws Error: the disk is full, the reader has gone away.
  void write(std::span<const std::byte> bytes);

  /// Writes at a place of its own, counted from the start, in a regular file only; what
  /// lies before it may come later. Any number of threads may do so at once. Where write() would
  /// go on afterwards is not said.
  void write_at(std::uint64_t offset, std::span<const std::byte> bytes);

  /// Writes `count` zeros, as a hole that takes no space where there can be one.
  void write_zeros(std::uint64_t count);

  /// Makes the data durable and gives the file its name.
  void finish();

  const std::filesystem::path& path() const { return path_; }

 private:
  [[noreturn]] void fail(int error_number) const;

  std::filesystem::path path_;       // as the user gave it, for messages
  std::filesystem::path target_;     // where it leads
  std::filesystem::path temporary_;  // empty: written directly, or finished
  int file_ = -1;
};

}  // namespace pleiad
