#include "download/disk_room.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pleiad::download {
namespace {

using ::testing::HasSubstr;

TEST(DiskRoom, LeavesSomeForOthers) {
  constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;
  EXPECT_EQ(room_for_others(1000 * kGiB), kGiB);
  EXPECT_EQ(room_for_others(20 * kGiB), kGiB);
  EXPECT_EQ(room_for_others(2 * kGiB), kGiB / 10);
  EXPECT_EQ(room_for_others(0), 0u);
}

TEST(DiskRoom, IsAskedOfTheFolder) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path();
  const auto space = std::filesystem::space(folder);
  const std::uint64_t others = room_for_others(space.capacity);
  ASSERT_GT(space.available, others);
  EXPECT_FALSE(find_no_room(folder / "file", 1));
  // As many as are free, but for those of others.
  const auto problem = find_no_room(folder / "file", space.available);
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->trouble, Trouble::no_space);
  EXPECT_THAT(problem->message, HasSubstr((folder / "file").string()));
  EXPECT_THAT(problem->message, HasSubstr("are free in " + folder.string()));
  EXPECT_FALSE(find_no_room(folder / "file", 0));
  EXPECT_FALSE(find_no_room(folder / "no/such/folder/file", 1));
  const auto later = find_no_room(folder / "no/such/folder/file", space.available);
  ASSERT_TRUE(later) << "it will be made below";
  EXPECT_THAT(later->message, HasSubstr("are free in " + folder.string()));
}

}  // namespace
}  // namespace pleiad::download
