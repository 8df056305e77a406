#include "store/prune.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "store/arrivals.h"
#include "store/check_store.h"
#include "store/test_stores.h"

namespace pleiad::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class PruneTest : public StoresTest {
 protected:
  PruneTest() : catalog_(options_) { std::filesystem::create_directories(own()); }

  Path own() const { return options_.own; }
  Path blob(const std::string& text) const {
    return own() / "blobs" / ("sha256-" + sha256_hex(text));
  }
  static std::vector<Path> paths(const std::vector<Unneeded>& files) {
    std::vector<Path> result;
    for (const Unneeded& file : files) result.push_back(file.path);
    return result;
  }
  /// Long after all files were written.
  static std::time_t later() { return std::time(nullptr) + 7200; }
  /// The demo model as a blob, and a model made of it.
  Path make_model(const std::string& name) {
    const std::string digest = put_blob(catalog_, read(kDemoFile));
    NewModel model;
    model.name = name;
    model.files = {{"model.gguf", digest}};
    catalog_.create(model);
    return own() / "blobs" / ("sha256-" + digest.substr(7));
  }

  Catalog catalog_;
};

TEST_F(PruneTest, FindsWhatNoModelNeedsAndRemovesThatAlone) {
  const Path needed = make_model("mine");
  put_blob(catalog_, "nobody's");
  write(own() / "partial" / ("sha256-" + sha256_hex("half")), "ha");
  write(own() / "blobs" / ("sha256-" + sha256_hex("w") + ".partial-abc123"), "w");
  write(own() / "checkpoints" / "nobodys" / "config.json", "{}");
  write(own() / "blobs" / "notes.txt", "the user's");

  const Prunable found = find_prunable(own(), later());
  EXPECT_THAT(found.kept, IsEmpty());
  EXPECT_EQ(found.unneeded.size(), 4U);
  EXPECT_EQ(bytes_of(found.unneeded), std::string("nobody's").size() + 2 + 1);
  EXPECT_TRUE(std::filesystem::exists(blob("nobody's"))) << "looking removes nothing";

  EXPECT_EQ(paths(prune(own(), found.unneeded, later()).removed), paths(found.unneeded));
  for (const Unneeded& file : found.unneeded) EXPECT_FALSE(std::filesystem::exists(file.path));
  EXPECT_TRUE(std::filesystem::exists(needed));
  EXPECT_TRUE(std::filesystem::exists(own() / "blobs" / "notes.txt"));
  EXPECT_TRUE(catalog_.find("mine"));
  EXPECT_THAT(find_prunable(own(), later()).unneeded, IsEmpty());
}

TEST_F(PruneTest, WhatCameAMomentAgoStays) {
  put_blob(catalog_, "an upload");
  const Prunable found = find_prunable(own(), std::time(nullptr));
  EXPECT_THAT(found.unneeded, IsEmpty());
  EXPECT_THAT(found.kept, ElementsAre(HasSubstr("less than an hour ago")));
}

TEST_F(PruneTest, WhatIsBeingDownloadedStays) {
  const Path partial = own() / "partial" / ("sha256-" + sha256_hex("half"));
  write(partial, "ha");
  const int file = ::open(partial.c_str(), O_RDONLY);
  ASSERT_EQ(::flock(file, LOCK_EX | LOCK_NB), 0);
  const Prunable found = find_prunable(own(), later());
  EXPECT_THAT(found.unneeded, IsEmpty());
  EXPECT_THAT(found.kept, ElementsAre(HasSubstr("is being downloaded")));
  ::close(file);
  EXPECT_EQ(paths(find_prunable(own(), later()).unneeded), std::vector<Path>{partial});
}

TEST_F(PruneTest, NothingOfAPullThatIsUnderWayIsTaken) {
  put_blob(catalog_, "it counts on this");
  const Path whole = own() / "partial" / ("sha256-" + sha256_hex("whole"));
  write(whole, "whole");
  const std::vector<Unneeded> before = find_prunable(own(), later()).unneeded;
  EXPECT_EQ(before.size(), 2U);
  {
    const ArrivalsLock pull(own());
    const Prunable found = find_prunable(own(), later());
    EXPECT_THAT(found.unneeded, IsEmpty());
    EXPECT_THAT(found.kept, ElementsAre(HasSubstr("a model is being pulled")));
    EXPECT_THAT(prune(own(), before, later()).removed, IsEmpty());
    EXPECT_TRUE(std::filesystem::exists(whole));
  }
  EXPECT_EQ(prune(own(), before, later()).removed.size(), 2U);
}

TEST_F(PruneTest, WhatIsNeededByTheTimeItIsConfirmedStays) {
  const std::string digest = put_blob(catalog_, read(kDemoFile));
  const Prunable found = find_prunable(own(), later());
  ASSERT_EQ(found.unneeded.size(), 1U);
  make_model("mine");
  EXPECT_THAT(prune(own(), found.unneeded, later()).removed, IsEmpty());
  EXPECT_TRUE(catalog_.has_blob(digest));
}

TEST_F(PruneTest, AManifestThatCannotBeReadEndsItBeforeAnythingIsRemoved) {
  put_blob(catalog_, "perhaps somebody's");
  write(own() / "manifests/registry.ollama.ai/library/broken/latest", "{");
  try {
    find_prunable(own(), later());
    FAIL() << "what the manifest needs is not known";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("pleiad rm broken:latest"));
  }
  EXPECT_TRUE(std::filesystem::exists(blob("perhaps somebody's")));
}

TEST_F(PruneTest, AFolderOfManifestsThatCannotBeReadEndsItBeforeAnythingIsRemoved) {
  const Path needed = make_model("mine");
  put_blob(catalog_, "perhaps somebody's");
  const Path folder = own() / "manifests/registry.ollama.ai/library";
  std::filesystem::rename(folder, own() / "elsewhere");
  std::filesystem::create_symlink("library",
                                  folder);  // a link to itself, which root cannot read either
  try {
    find_prunable(own(), later());
    FAIL() << "what the models of that folder need is not known";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr(folder.string() + ": cannot be read"));
  }
  NewModel other;
  other.name = "other/one";
  other.files = {{"model.gguf", "sha256:" + needed.filename().string().substr(7)}};
  catalog_.create(other);
  catalog_.remove("other/one");
  EXPECT_TRUE(std::filesystem::exists(needed)) << "removing drops nothing either";
  EXPECT_THAT(check_store(own(), [](std::uint64_t, std::uint64_t) {}).problems,
              ElementsAre(HasSubstr(folder.string() + ": cannot be read")));
}

TEST_F(PruneTest, AStoreThatIsNotThereHasNothingAndIsNotMade) {
  EXPECT_THAT(find_prunable(root_ / "none", later()).unneeded, IsEmpty());
  EXPECT_FALSE(std::filesystem::exists(root_ / "none"));
}

TEST_F(PruneTest, OneThatCannotBeRemovedIsNamedAndTheOthersGo) {
  const Path file = root_ / "file";
  write(file, "x");
  Pruned pruned;
  remove_unneeded({"/proc/self/status", 1, Unneeded::Kind::blob}, pruned);
  remove_unneeded({file, 1, Unneeded::Kind::blob}, pruned);
  EXPECT_THAT(paths(pruned.removed), ElementsAre(file));
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_THAT(pruned.failed, ElementsAre(HasSubstr("/proc/self/status: cannot be removed: ")));
}

}  // namespace
}  // namespace pleiad::store
