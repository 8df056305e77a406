#include "digest/file_sha256.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/testing/test_folder.h"
#include "digest/sha256.h"

namespace pleiad {
namespace {

TEST(FileSha256, IsThatOfItsBytes) {
  const TestFolder folder;
  const std::string text((std::size_t{5} << 19) + 1, 'x');  // two and a half pieces
  const auto path = folder.write("file", text);
  std::vector<std::uint64_t> told;
  const auto found = sha256_of_file(path, [&](std::uint64_t so_far) {
    told.push_back(so_far);
    return true;
  });
  ASSERT_TRUE(found.ok()) << found.message();
  EXPECT_EQ(found.value(), sha256_hex(text));
  EXPECT_EQ(told, (std::vector<std::uint64_t>{1 << 20, 2 << 20, text.size()}));
  EXPECT_EQ(sha256_of_file(path, [](std::uint64_t) { return false; }).message(), "stopped");
}

TEST(FileSha256, SaysThatItCannotBeRead) {
  const TestFolder folder;
  const auto goes_on = [](std::uint64_t) { return true; };
  EXPECT_EQ(sha256_of_file(folder / "none", goes_on).message(), "cannot be read");
  EXPECT_EQ(sha256_of_file(folder, goes_on).message(), "cannot be read to its end");
}

}  // namespace
}  // namespace pleiad
