#include "base/free_space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace pleiad {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMoreThanAnyDisk = std::uint64_t{1} << 60;

TEST(CheckFreeSpace, RefusesWhatDoesNotFit) {
  const fs::path folder = fs::temp_directory_path();
  for (const fs::path& path : {folder, folder / "pleiad_that_is_not_there"}) {
    EXPECT_NO_THROW(check_free_space(path, 1)) << path;
    try {
      check_free_space(path, kMoreThanAnyDisk);
      FAIL() << path;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr(path.string()));
      EXPECT_THAT(error.what(), testing::HasSubstr("are needed"));
    }
  }
}

}  // namespace
}  // namespace pleiad
