#pragma once

#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "support/synthetic_model.h"

namespace pleiad::testing_support {

/// Tokens of the synthetic models.
inline std::vector<std::int32_t> some_tokens(int n) {
  std::vector<std::int32_t> tokens = {2};
  for (int i = 1; i < n; ++i) tokens.push_back(i * 37 % 96);
  return tokens;
}

/// A synthetic model in files of its own, gone with this object: as blocks of a
/// type, and as the values that the scalar decoder makes of them.
class SyntheticFiles {
 public:
  SyntheticFiles(SyntheticFamily family, DType type)
      : folder_(std::filesystem::temp_directory_path() /
                ("pleiad_synthetic_" + std::to_string(::getpid()) + "_" +
                 std::to_string(static_cast<int>(type)) +
                 std::to_string(static_cast<int>(family)))) {
    std::filesystem::create_directories(folder_);
    write_synthetic_model(blocks(), family, type, false, 5);
    write_synthetic_model(values(), family, type, true, 5);
  }
  ~SyntheticFiles() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  SyntheticFiles(const SyntheticFiles&) = delete;
  SyntheticFiles& operator=(const SyntheticFiles&) = delete;

  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path blocks() const { return folder_ / "blocks.gguf"; }
  std::filesystem::path values() const { return folder_ / "values.gguf"; }

 private:
  std::filesystem::path folder_;
};

}  // namespace pleiad::testing_support
