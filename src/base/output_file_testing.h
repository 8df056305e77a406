#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <span>
#include <sstream>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/output_file.h"
#include "base/testing/test_folder.h"

namespace pleiad {

class OutputFileTest : public ::testing::Test {
 protected:
  static void put(OutputFile& file, std::string_view text) {
    file.write(std::as_bytes(std::span(text)));
  }
  static std::string text_of(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder_),
                                                  std::filesystem::directory_iterator()));
  }
  static std::string error_of(const std::filesystem::path& path) {
    try {
      OutputFile file(path);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }
  TestFolder folder_;
};

}  // namespace pleiad
