#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "apps/common/environment.h"
#include "synthetic/in_memory_model.h"

namespace pleiad::apps {

/// What is measured: a model that the user has, or one of random weights that
/// is made in memory and lives as long as this object.
class ModelSource {
 public:
  /// `argument` as of `pleiad run`; throws Error where nothing is there.
  static ModelSource of_file(const std::string& argument, const Environment& environment);

  /// `spec` as "e4b:q4_0"; shows progress. Throws Error where there is no such
  /// model, or not enough memory for it.
  static ModelSource synthetic(const std::string& spec, int n_threads);

  const std::filesystem::path& path() const { return path_; }

  /// For people: the path, or "synthetic e4b:q4_0".
  const std::string& description() const { return description_; }

 private:
  std::filesystem::path path_;
  std::string description_;
  std::unique_ptr<synthetic::InMemoryModel> in_memory_;
};

}  // namespace pleiad::apps
