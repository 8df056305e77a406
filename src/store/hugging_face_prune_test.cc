#include "store/hugging_face_prune.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "store/test_stores.h"

namespace pleiad::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class HuggingFacePruneTest : public StoresTest {
 protected:
  HuggingFacePruneTest() : hub_(root_ / "hub"), blobs_(hub_ / "models--org--m/blobs") {
    write(blobs_ / "0123", "a file");
    write(blobs_ / "4567.incomplete", "ours");
    write(blobs_ / "89ab.0123abcd.incomplete", "another client's");
    write(hub_ / "datasets--org--d/blobs/4567.incomplete", "of no model");
    write(hub_ / ".locks/models--org--m/4567.lock", "");
  }

  static std::vector<Path> paths(const std::vector<Unneeded>& files) {
    std::vector<Path> result;
    for (const Unneeded& file : files) result.push_back(file.path);
    return result;
  }
  /// Long after all files were written.
  static std::time_t later() { return std::time(nullptr) + 7200; }

  Path hub_, blobs_;
};

TEST_F(HuggingFacePruneTest, BeginningsThatNobodyGoesOnWithAreFoundAndRemoved) {
  const Prunable found = find_prunable_downloads(hub_, later());
  EXPECT_THAT(paths(found.unneeded),
              ElementsAre(blobs_ / "4567.incomplete", blobs_ / "89ab.0123abcd.incomplete"));
  EXPECT_THAT(found.kept, IsEmpty());
  EXPECT_EQ(bytes_of(found.unneeded), std::string("oursanother client's").size());
  EXPECT_TRUE(std::filesystem::exists(blobs_ / "4567.incomplete")) << "looking removes nothing";
  EXPECT_EQ(paths(prune_downloads(hub_, found.unneeded, later()).removed), paths(found.unneeded));
  EXPECT_THAT(find_prunable_downloads(hub_, later()).unneeded, IsEmpty());
  EXPECT_TRUE(std::filesystem::exists(blobs_ / "0123"));
  EXPECT_TRUE(std::filesystem::exists(hub_ / "datasets--org--d/blobs/4567.incomplete"));
}

TEST_F(HuggingFacePruneTest, WhatIsBeingDownloadedStays) {
  const std::vector<Unneeded> before = find_prunable_downloads(hub_, later()).unneeded;
  // Python's clients hold the lock beside the blobs, our downloads the file as well.
  for (const Path& held : {hub_ / ".locks/models--org--m/4567.lock", blobs_ / "4567.incomplete"}) {
    const int file = ::open(held.c_str(), O_RDONLY);
    ASSERT_EQ(::flock(file, LOCK_EX | LOCK_NB), 0);
    const Prunable found = find_prunable_downloads(hub_, later());
    EXPECT_THAT(paths(found.unneeded), ElementsAre(blobs_ / "89ab.0123abcd.incomplete"));
    EXPECT_THAT(found.kept,
                ElementsAre(HasSubstr("4567.incomplete stays: it is being downloaded")));
    EXPECT_THAT(paths(prune_downloads(hub_, {before[0]}, later()).removed), IsEmpty());
    ::close(file);
  }
  EXPECT_EQ(prune_downloads(hub_, before, later()).removed.size(), 2U);
}

TEST_F(HuggingFacePruneTest, WhatWasWrittenToAMomentAgoStays) {
  const Prunable found = find_prunable_downloads(hub_, std::time(nullptr));
  EXPECT_THAT(found.unneeded, IsEmpty());
  EXPECT_THAT(found.kept, ElementsAre(HasSubstr("less than a minute ago"), HasSubstr("89ab")));
}

TEST_F(HuggingFacePruneTest, ALinkIsNoBeginning) {
  write(root_ / "mine", "the user's");
  std::filesystem::create_symlink(root_ / "mine", blobs_ / "cdef.incomplete");
  EXPECT_EQ(find_prunable_downloads(hub_, later()).unneeded.size(), 2U);
}

TEST_F(HuggingFacePruneTest, ACacheThatIsNotThereHasNothing) {
  EXPECT_THAT(find_prunable_downloads(root_ / "none", later()).unneeded, IsEmpty());
}

}  // namespace
}  // namespace pleiad::store
