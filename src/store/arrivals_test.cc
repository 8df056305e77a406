#include "store/arrivals.h"

#include "store/blobs.h"
#include "store/manifest.h"
#include "store/store_lock.h"
#include "store/test_stores.h"

namespace pleiad::store {
namespace {

using ::testing::HasSubstr;

class ArrivalsTest : public StoresTest {
 protected:
  /// A file that has come whole: its digits are made up, since nobody hashes it here.
  std::string arrive(const Path& file, char digit) const {
    std::string hex(64, digit);
    std::filesystem::create_directories(options_.own / "partial");
    std::filesystem::copy_file(file, partial_path(options_.own, hex));
    return hex;
  }
  std::size_t n_partial() const { return count_below(options_.own / "partial"); }
  std::size_t n_blobs() const { return count_below(options_.own / "blobs"); }
};

TEST_F(ArrivalsTest, WhatHasComeBecomesAModel) {
  Catalog catalog(options_);
  Manifest manifest;
  manifest.blob = arrive(kDemoFile, 'a');
  manifest.recipe.system = "Be brief.";
  manifest.pulled = "host.example:5000/ann/mine:v1@sha256:0";
  EXPECT_EQ(catalog.install("host.example:5000/ann/mine:v1", manifest, {manifest.blob}), "");
  const auto found = catalog.find("host.example:5000/ann/mine:v1");
  ASSERT_TRUE(found.ok()) << found.message();
  EXPECT_EQ(found.value().problem, "");
  EXPECT_EQ(found.value().recipe.system, "Be brief.");
  EXPECT_EQ(found.value().pulled, manifest.pulled);
  catalog.copy(found.value().name, "copied");
  catalog.create(from("made", found.value().name));
  EXPECT_EQ(catalog.find("copied").value().pulled, "");
  EXPECT_EQ(catalog.find("made").value().pulled, "");
  EXPECT_TRUE(has_whole_blob(options_.own, manifest.blob, std::filesystem::file_size(kDemoFile)));
  EXPECT_FALSE(has_whole_blob(options_.own, manifest.blob, 1));
  EXPECT_EQ(n_partial(), 0);
}

TEST_F(ArrivalsTest, AnotherModelUnderTheNameTakesTheOldOnesBlobsAway) {
  Catalog catalog(options_);
  Manifest old;
  old.blob = arrive(kDemoFile, 'a');
  catalog.install("mine", old, {old.blob});
  Manifest updated;
  updated.blob = arrive(kDemoFile, 'b');
  catalog.install("mine", updated, {updated.blob});
  EXPECT_EQ(n_blobs(), 1);
  EXPECT_TRUE(is_file(blob_path(options_.own, updated.blob)));
}

TEST_F(ArrivalsTest, APartialFileThatWasNotCheckedIsNotTaken) {
  Catalog catalog(options_);
  Manifest manifest;
  manifest.blob = arrive(kDemoFile, 'a');
  EXPECT_THROW(catalog.install("mine", manifest, {}), Error);
  EXPECT_EQ(n_partial(), 1);
  EXPECT_FALSE(catalog.find("mine").ok());
}

TEST_F(ArrivalsTest, AFileThatIsNoModelStaysWhereItIsAndTheOldModelIsKept) {
  Catalog catalog(options_);
  Manifest old;
  old.blob = arrive(kDemoFile, 'a');
  catalog.install("mine", old, {old.blob});
  Manifest damaged;
  write(root_ / "damaged", "GGUF and then nothing");
  damaged.blob = arrive(root_ / "damaged", 'b');
  EXPECT_THROW(catalog.install("mine", damaged, {damaged.blob}), Error);
  EXPECT_EQ(n_partial(), 1);
  EXPECT_EQ(n_blobs(), 1);
  EXPECT_EQ(catalog.find("mine").value().problem, "");
}

TEST_F(ArrivalsTest, AProjectorBelongsToTheModelOrIsLeftOut) {
  Catalog catalog(options_);
  Manifest manifest;
  manifest.blob = arrive(kDemoFile, 'a');
  manifest.projector_blob = arrive(kDemoTower, 'b');
  EXPECT_EQ(catalog.install("sees", manifest, {manifest.blob, manifest.projector_blob}), "");
  EXPECT_TRUE(catalog.find("sees").value().details->vision.has_value());
  write(root_ / "damaged", "no tower");
  manifest.projector_blob = arrive(root_ / "damaged", 'c');
  EXPECT_NE(catalog.install("blind", manifest, {manifest.projector_blob}), "");
  const ModelEntry blind = catalog.find("blind").value();
  EXPECT_EQ(blind.problem, "");
  EXPECT_FALSE(blind.details->vision.has_value());
  EXPECT_EQ(n_partial(), 0) << "what is of no use does not stay";
}

TEST_F(ArrivalsTest, NamesThatNobodyMayGiveAreRefused) {
  Catalog catalog(options_);
  Manifest manifest;
  manifest.blob = arrive(kDemoFile, 'a');
  EXPECT_THROW(catalog.install("demo", manifest, {manifest.blob}), Error);
  EXPECT_THROW(catalog.check_writable("demo"), Error);
  EXPECT_THROW(catalog.check_writable("x.partial-abcdef"), Error);
  catalog.check_writable("mine");
  EXPECT_THROW(catalog.install("../x", manifest, {manifest.blob}), Error);
  EXPECT_EQ(n_partial(), 1);
}

TEST_F(ArrivalsTest, WhileSomebodyFetchesNobodyTidiesUp) {
  EXPECT_EQ(lock_idle_arrivals(options_.own), nullptr) << "there is nothing to tidy up";
  {
    const ArrivalsLock one(options_.own);
    const ArrivalsLock another(options_.own);
    EXPECT_EQ(lock_idle_arrivals(options_.own), nullptr);
  }
  EXPECT_NE(lock_idle_arrivals(options_.own), nullptr);
}

TEST_F(ArrivalsTest, TidyingUpAtAStartLeavesWhatCanBeResumed) {
  Catalog catalog(options_);
  arrive(kDemoFile, 'a');
  catalog.remove_leftovers();
  EXPECT_EQ(n_partial(), 1);
}

}  // namespace
}  // namespace pleiad::store
