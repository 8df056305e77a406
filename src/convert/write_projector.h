#pragma once

#include <filesystem>
#include <memory>

#include "convert/report.h"
#include "model/checkpoint.h"

namespace pleiad::convert {

/// Writes the towers of a model that options do not leave out as a projector file in llama.cpp's
/// layout, whole or not at all: an older file stays until finish().
class ProjectorWriter {
 public:
  /// There is a tower to be written (see is_written); `source` and `options` outlive the object.
  /// Throws Error that names the path or the tensor.
  ProjectorWriter(const Checkpoint& source, const std::filesystem::path& path,
                  const WriteOptions& options);
  ~ProjectorWriter();
  ProjectorWriter(const ProjectorWriter&) = delete;
  ProjectorWriter& operator=(const ProjectorWriter&) = delete;

  std::uint64_t file_size() const;
  std::uint64_t source_bytes() const;

  /// Writes all data; `progress` is told the bytes of the source that are done since the last
  /// call.
  void write(const std::function<void(std::uint64_t)>& progress);

  /// Gives the file its name, and tells what is in it.
  void finish(WriteReport& report);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pleiad::convert
