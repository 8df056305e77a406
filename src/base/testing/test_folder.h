#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "base/error.h"
#include "base/random_bytes.h"

namespace pleiad {

/// An empty folder that goes with the test.
class TestFolder {
 public:
  TestFolder() {
    path_ = std::filesystem::temp_directory_path() / random_name("pleiad_test_", 12);
    std::error_code error;
    if (!std::filesystem::create_directory(path_, error)) {
      throw Error("{}: cannot be made: {}", path_.string(), error.message());
    }
    std::filesystem::permissions(path_, std::filesystem::perms::owner_all);
  }
  ~TestFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  operator const std::filesystem::path&() const { return path_; }  // NOLINT
  friend std::filesystem::path operator/(const TestFolder& folder,
                                         const std::filesystem::path& below) {
    return folder.path_ / below;
  }

  std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace pleiad
