#include "pull/hugging_face/cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

#include "base/error.h"
#include "base/testing/test_folder.h"
#include "pull/hugging_face/cache_lock.h"
#include "pull/hugging_face/git_blob_id.h"

namespace pleiad::pull::hugging_face {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

const std::string kCommit(40, 'c');

class HubCacheTest : public ::testing::Test {
 protected:
  HubCacheTest() { file_ = {"a/b.json", 5, std::string(40, 'a'), ""}; }
  static void write(const fs::path& path, const std::string& text) {
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
  }
  static std::string read(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }
  static void make_old(const fs::path& path) {
    fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::minutes(1));
  }
  fs::path begun(const std::string& name) const {
    return root_ / "models--org--m/blobs" / (file_.etag() + name + ".incomplete");
  }

  TestFolder root_;
  HubFile file_;
};

TEST_F(HubCacheTest, LiesAsPythonsToolsLayIt) {
  const Cache cache(root_, "org/m");
  cache.make_folders();
  write(cache.partial(file_.etag()), "12345");
  EXPECT_EQ(cache.partial(file_.etag()), begun(""));
  cache.finish_blob(file_);
  cache.link(kCommit, file_);
  cache.set_revision("refs/pr/1", kCommit);
  cache.set_revision(kCommit, kCommit);
  const fs::path link = root_ / "models--org--m/snapshots" / kCommit / "a/b.json";
  EXPECT_EQ(fs::read_symlink(link), "../../../blobs/" + file_.etag());
  EXPECT_EQ(read(link), "12345");
  EXPECT_EQ(read(root_ / "models--org--m/refs/refs/pr/1"), kCommit);
  EXPECT_EQ(cache.commit_of("refs/pr/1"), kCommit);
  EXPECT_EQ(cache.commit_of(kCommit), kCommit);
  EXPECT_EQ(cache.commit_of("main"), std::nullopt);
  EXPECT_EQ(cache.commit_of("../../x"), std::nullopt);
  EXPECT_EQ(cache.lock_file("e"), root_ / ".locks/models--org--m/e.lock");
  EXPECT_THAT(read(root_ / "CACHEDIR.TAG"), HasSubstr("8a477f597d28d172789f06886806bc55"));
  EXPECT_TRUE(cache.has(kCommit, file_));
  ASSERT_EQ(cache.files_of(kCommit).size(), 1);
  EXPECT_EQ(cache.files_of(kCommit)[0].etag(), file_.etag());
}

TEST_F(HubCacheTest, ALinkThatLeadsElsewhereIsReplacedAndAWholeFileInItsPlaceStays) {
  const Cache cache(root_, "org/m");
  cache.make_folders();
  const fs::path link = cache.snapshot(kCommit) / file_.path;
  write(link, "12345");  // as on disks without links
  EXPECT_TRUE(cache.has(kCommit, file_));
  cache.link(kCommit, file_);
  EXPECT_FALSE(fs::is_symlink(link));
  write(cache.blob(file_.etag()), "12345");
  cache.link(kCommit, file_);
  EXPECT_TRUE(fs::is_symlink(link));
  fs::remove(link);
  fs::create_symlink("/nowhere", link);
  cache.link(kCommit, file_);
  EXPECT_EQ(read(link), "12345");
}

TEST_F(HubCacheTest, OthersLongestBeginningIsGoneOnWithWhereThereIsNoneOfOurs) {
  const Cache cache(root_, "org/m");
  cache.make_folders();
  write(begun(".0123abcd"), "123");
  write(begun(".89abcdef"), "12");
  write(begun(".fedcba98"), "more than there is");
  write(begun(".now"), "1234");
  for (const char* name : {".0123abcd", ".89abcdef", ".fedcba98"}) make_old(begun(name));
  EXPECT_EQ(cache.at_hand(kCommit, file_), 3);
  cache.adopt_partial(file_);
  EXPECT_EQ(read(begun("")), "123");
  EXPECT_TRUE(fs::exists(begun(".now")));  // somebody may be at it
  write(root_ / "models--org--m/blobs/other.incomplete", "x");
  cache.finish_blob(file_);
  EXPECT_TRUE(fs::exists(begun(".now")));
  EXPECT_FALSE(fs::exists(begun(".89abcdef")));
  EXPECT_TRUE(fs::exists(root_ / "models--org--m/blobs/other.incomplete"));
}

TEST_F(HubCacheTest, OurBeginningStaysWhatOthersHaveLonger) {
  const Cache cache(root_, "org/m");
  cache.make_folders();
  write(begun(""), "12");
  write(begun(".0123abcd"), "1x34");
  for (const char* name : {"", ".0123abcd"}) make_old(begun(name));
  EXPECT_EQ(cache.at_hand(kCommit, file_), 2);
  cache.adopt_partial(file_);
  EXPECT_EQ(read(begun("")), "12");
}

TEST_F(HubCacheTest, ABeginningWithHolesIsNone) {
  const Cache cache(root_, "org/m");
  cache.make_folders();
  file_.size = 1 << 20;
  write(begun(".0123abcd"), "");
  fs::resize_file(begun(".0123abcd"), 1 << 19);
  make_old(begun(".0123abcd"));
  EXPECT_EQ(cache.at_hand(kCommit, file_), 0);
}

TEST_F(HubCacheTest, LinksAreNotWrittenThrough) {
  const Cache cache(root_, "org/m");
  cache.make_folders();
  const fs::path mine = root_ / "mine";
  write(mine, "precious");
  fs::create_symlink(mine, root_ / "models--org--m/refs/main");
  cache.set_revision("main", kCommit);
  EXPECT_EQ(read(root_ / "models--org--m/refs/main"), kCommit);
  EXPECT_EQ(read(mine), "precious");
  fs::create_symlink(mine, begun(""));
  EXPECT_THROW(make_file(begun(""), ""), Error);
  EXPECT_EQ(read(mine), "precious");
}

TEST_F(HubCacheTest, WhatAKilledProcessLeftOfNotingARevisionIsRemoved) {
  const fs::path left = root_ / ".locks/models--org--m/revision-abc";
  write(left, "c");
  const Cache cache(root_, "org/m");
  cache.make_folders();
  EXPECT_TRUE(fs::exists(left));  // somebody may be at it
  fs::last_write_time(left, fs::file_time_type::clock::now() - std::chrono::minutes(5));
  cache.make_folders();
  EXPECT_FALSE(fs::exists(left));
}

TEST_F(HubCacheTest, WhatCannotBeMadeIsNamed) {
  write(root_ / "models--org--m", "a file");
  try {
    Cache(root_, "org/m").make_folders();
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("models--org--m/blobs: cannot be made"));
  }
}

TEST_F(HubCacheTest, ALockIsHeldByOneAtATime) {
  const fs::path path = root_ / ".locks/models--org--m/e.lock";
  bool has_waited = false;
  {
    auto first = CacheLock::take(path, {}, {});
    ASSERT_TRUE(first.ok());
    const auto second = CacheLock::take(
        path, [&] { return has_waited; }, [&] { has_waited = true; });
    EXPECT_FALSE(second.ok());
    EXPECT_TRUE(has_waited);
    std::thread waits([&] { EXPECT_TRUE(CacheLock::take(path, {}, {}).ok()); });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    first = Failure{"let go"};
    waits.join();
  }
  EXPECT_TRUE(CacheLock::take(path, {}, {}).ok());
  fs::remove(path);
  fs::create_symlink(root_ / "elsewhere", path);
  EXPECT_THAT(CacheLock::take(path, {}, {}).message(), HasSubstr("cannot be opened"));
  EXPECT_FALSE(fs::exists(root_ / "elsewhere"));
}

// As `git hash-object` says.
TEST_F(HubCacheTest, GitsIdIsKnown) {
  EXPECT_EQ(git_blob_id(""), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
  EXPECT_EQ(git_blob_id("hello\n"), "ce013625030ba8dba906f756967f9e9ca394464a");
  write(root_ / "f", "hello\n");
  EXPECT_EQ(git_blob_id_of_file(root_ / "f", {}), "ce013625030ba8dba906f756967f9e9ca394464a");
  EXPECT_EQ(git_blob_id_of_file(root_ / "f", [] { return true; }), std::nullopt);
  EXPECT_THROW((void)git_blob_id_of_file(root_ / "none", {}), Error);
}

}  // namespace
}  // namespace pleiad::pull::hugging_face
