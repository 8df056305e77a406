#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "base/testing/test_folder.h"
#include "digest/sha256.h"
#include "download/download_file.h"
#include "download/testing/fault_server.h"

namespace pleiad::download::testing {

/// A folder, a file of 9 MB and a policy without patience.
class FileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    surroundings_.retry = {.attempts = 4,
                           .first_wait = 0.01,
                           .longest_wait = 0.05,
                           .longest_asked = 2,
                           .connect_seconds = 5,
                           .stall_seconds = 0.4,
                           .slowest = 1000};
  }

  std::filesystem::path partial() const { return root_ / "file.partial"; }

  std::string on_disk() const {
    std::ifstream in(partial(), std::ios::binary | std::ios::ate);
    std::string bytes(in ? static_cast<std::size_t>(in.tellg()) : 0, '\0');
    in.seekg(0);
    in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return bytes;
  }
  void put_on_disk(const std::string& bytes) const {
    std::ofstream(partial(), std::ios::binary) << bytes;
  }

  /// A request that knows all of `file_`.
  FileRequest request(const std::string& url) {
    return {.url = url,
            .size = file_.size(),
            .sha256 = sha256_hex(file_),
            .partial = partial(),
            .note = [this](const std::string& text) { notes_.push_back(text); }};
  }

  Outcome<FileReceipt> fetch(const FileRequest& request, const Stop& stop = {}) {
    Session session(surroundings_);
    return download_file(
        session, request, [this](std::uint64_t so_far) { so_far_.push_back(so_far); }, stop);
  }

  /// Whether what is on the disk is a beginning of the file.
  ::testing::AssertionResult is_prefix() const {
    const std::string found = on_disk();
    if (file_.starts_with(found)) return ::testing::AssertionSuccess() << found.size();
    return ::testing::AssertionFailure() << found.size() << " bytes are no beginning of the file";
  }

  const std::string file_ = some_file(9'000'001);
  TestFolder root_;
  Surroundings surroundings_;
  std::vector<std::string> notes_;
  std::vector<std::uint64_t> so_far_;
};

}  // namespace pleiad::download::testing
