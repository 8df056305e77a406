#pragma once

#include <unistd.h>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/testing/paths.h"
#include "media/documents/document_reader.h"
#include "media/helper/helper_testing.h"

namespace pleiad::media {

/// The test's own converter, which lies beside it.
inline HelperProgram test_converter(std::vector<std::string> arguments = {}) {
  const auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  return {folder / "media_test_converter", std::move(arguments)};
}

inline std::vector<std::byte> golden_document(const std::string& name) {
  return file_bytes(golden_path("media/documents/" + name));
}

inline std::vector<std::byte> document_bytes(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

/// A folder with the test's program under poppler's names.
class FakePoppler {
 public:
  FakePoppler() {
    static int n_made = 0;
    folder_ = std::filesystem::path(::testing::TempDir()) /
              ("poppler_" + std::to_string(::getpid()) + "_" + std::to_string(n_made++));
    std::filesystem::create_directories(folder_);
    const auto program =
        std::filesystem::read_symlink("/proc/self/exe").parent_path() / "media_test_poppler";
    for (const char* name : {"pdfinfo", "pdftotext", "pdftoppm"}) {
      std::filesystem::create_symlink(program, folder_ / name);
    }
  }
  ~FakePoppler() { std::filesystem::remove_all(folder_); }
  FakePoppler(const FakePoppler&) = delete;
  FakePoppler& operator=(const FakePoppler&) = delete;

  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
};

}  // namespace pleiad::media
