#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <thread>

#include "base/error.h"
#include "base/mapped_file.h"
#include "base/testing/test_folder.h"

namespace pleiad {

class MappedFileTest : public ::testing::Test {
 protected:
  static std::string error_of(const std::filesystem::path& path) {
    try {
      MappedFile file(path);
    } catch (const LoadError& error) {
      return error.what();
    }
    return "no error";
  }

  /// A mapped file of some pages of 'x'.
  MappedFile pages(const std::string& name, std::size_t n = 64) {
    std::ofstream(folder_ / name) << std::string(n * 4096, 'x');
    MappedFile file(folder_ / name);
    wait_for_a_tick();
    return file;
  }

  /// The clock of file systems goes in steps of some milliseconds: what is done within one of
  /// them has one time.
  void wait_for_a_tick() const {
    const auto now = [&] {
      std::ofstream(folder_ / "clock") << "tick";
      return std::filesystem::last_write_time(folder_ / "clock");
    };
    for (const auto then = now(); now() == then;) std::this_thread::yield();
  }

  /// Writes over the beginning of the file that is there.
  void overwrite(const std::string& name, const std::string& text) {
    std::fstream(folder_ / name, std::ios::in | std::ios::out) << text;
  }

  static std::string change_of(const MappedFile& file) {
    try {
      file.check_unchanged();
    } catch (const FileChangedError& error) {
      return error.what();
    }
    return "no change";
  }

  static std::size_t count(std::span<const std::byte> bytes, char letter) {
    return static_cast<std::size_t>(std::ranges::count(bytes, static_cast<std::byte>(letter)));
  }

  TestFolder folder_;
};

}  // namespace pleiad
