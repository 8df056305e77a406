#pragma once

#include <filesystem>
#include <memory>

#include "convert/report.h"
#include "model/checkpoint.h"

namespace pleiad::convert {

/// Writes the vision tower of a model as a projector file in llama.cpp's layout, whole or not at
/// all: an older file stays until finish().
class ProjectorWriter {
 public:
  /// `source` has a tower, and outlives the object as `options` does. Throws Error that names the
  /// path or the tensor.
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

  /// Gives the file its name.
  TowerReport finish();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pleiad::convert
