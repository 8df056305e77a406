#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "verify/findings.h"

namespace pleiad::verify {

struct Options {
  std::filesystem::path projector = {};  // as of CheckpointOptions
  int n_threads = 1;
  /// Told bytes a few times a second; what it throws ends the work.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress = {};
};

struct Report {
  std::string path;
  std::vector<std::string> projectors;  // see projector_files
  std::uint64_t n_tensors = 0;
  std::uint64_t n_bytes = 0;
  std::vector<Finding> findings;  // in the order of the file

  /// Nothing is wrong.
  bool good() const;
};

/// Reads every tensor of a model's files and of its projector file, whether it is used or not,
/// and says what is wrong or looks so. The findings do not depend on the number of
/// threads. Throws LoadError where the files cannot be opened at all, FileChangedError
/// where they were written to meanwhile.
Report check_model(const std::filesystem::path& path, const Options& options);

}  // namespace pleiad::verify
