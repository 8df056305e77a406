#include "store/hugging_face.h"

#include "store/test_stores.h"

namespace pleiad::store {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class HuggingFaceTest : public StoresTest {
 protected:
  HuggingFaceTest() { options_.demo.clear(); }
  fs::path snapshot(const std::string& revision = "abc") const {
    return root_ / "hub/models--org--my-model/snapshots" / revision;
  }
  std::vector<std::string> listed() const { return names(Catalog(options_).list()); }
  std::string found(const std::string& name) const {
    const auto entry = Catalog(options_).find(name);
    return entry ? entry.value().name : entry.message();
  }
};

TEST_F(HuggingFaceTest, ACheckpointGoesByItsRepository) {
  make_checkpoint(snapshot());
  ASSERT_THAT(listed(), ElementsAre("hf.co/org/my-model"));
  const auto entry = Catalog(options_).find("org/my-model");
  ASSERT_TRUE(entry.ok());
  EXPECT_EQ(entry.value().problem, "");
  EXPECT_EQ(entry.value().path, snapshot());
  EXPECT_EQ(entry.value().source, Source::hugging_face);
  EXPECT_EQ(found("hf.co/ORG/My-Model:latest"), "hf.co/org/my-model");
  EXPECT_EQ(found("huggingface.co/org/my-model"), "hf.co/org/my-model");
}

TEST_F(HuggingFaceTest, FilesGoByTheirQuantization) {
  link(kDemoFile, snapshot() / "m-Q4_0.gguf");
  link(kDemoFile, snapshot() / "BF16/m-BF16.gguf");
  link(kDemoFile, snapshot() / "mmproj-F16.gguf");
  EXPECT_THAT(listed(), UnorderedElementsAre("hf.co/org/my-model:Q4_0", "hf.co/org/my-model:BF16"));
  EXPECT_EQ(found("org/my-model:q4_0"), "hf.co/org/my-model:Q4_0");
  EXPECT_EQ(found("hf.co/org/my-model:m-Q4_0.gguf"), "hf.co/org/my-model:Q4_0");
  EXPECT_THAT(found("org/my-model"), HasSubstr("choose one"));
  EXPECT_THAT(found("org/my-model:Q8_0"), HasSubstr("not found"));
}

TEST_F(HuggingFaceTest, FilesOfOneQuantizationGoByTheirNames) {
  link(kDemoFile, snapshot() / "a-Q4_0.gguf");
  link(kDemoFile, snapshot() / "b-Q4_0.gguf");
  EXPECT_THAT(listed(), UnorderedElementsAre("hf.co/org/my-model:a-Q4_0.gguf",
                                             "hf.co/org/my-model:b-Q4_0.gguf"));
}

TEST_F(HuggingFaceTest, MainDecidesWhichSnapshotCounts) {
  link(kDemoFile, snapshot("old") / "old-Q4_0.gguf");
  link(kDemoFile, snapshot("new") / "new-Q8_0.gguf");
  write(root_ / "hub/models--org--my-model/refs/main", "old\n");
  EXPECT_EQ(found("org/my-model"), "hf.co/org/my-model:Q4_0");
  write(root_ / "hub/models--org--my-model/refs/main", "new\n");
  EXPECT_EQ(found("org/my-model"), "hf.co/org/my-model:Q8_0");
}

TEST_F(HuggingFaceTest, OtherSnapshotsGoByTheirRevision) {
  const fs::path repository = root_ / "hub/models--org--my-model";
  const std::string commit = "0123456789abcdef0123456789abcdef01234567";
  fs::create_directories(repository / "blobs");
  for (const char* blob : {"a", "b", "c"}) fs::copy_file(kDemoFile, repository / "blobs" / blob);
  link("../../blobs/a", snapshot("new") / "m-Q4_0.gguf");
  link("../../blobs/b", snapshot("old") / "m-Q4_0.gguf");
  link("../../blobs/c", snapshot(commit) / "m-Q4_0.gguf");
  write(repository / "refs/main", "new");
  write(repository / "refs/refs/pr/1", "old");
  EXPECT_THAT(listed(),
              UnorderedElementsAre("hf.co/org/my-model:Q4_0", "hf.co/org/my-model@refs/pr/1:Q4_0",
                                   "hf.co/org/my-model@" + commit + ":Q4_0"));
  EXPECT_EQ(found("hf:org/my-model"), "hf.co/org/my-model:Q4_0");
  EXPECT_EQ(found("hf:org/my-model@refs/pr/1"), "hf.co/org/my-model@refs/pr/1:Q4_0");
  EXPECT_EQ(found("hf:org/my-model@0123456:q4_0"), "hf.co/org/my-model@" + commit + ":Q4_0");
  EXPECT_THAT(found("hf:org/my-model@012345:q4_0"), HasSubstr("not found"));
}

TEST_F(HuggingFaceTest, TheSameFilesOfAnotherSnapshotAreNotListedTwice) {
  link(kDemoFile, snapshot("old") / "m-Q4_0.gguf");
  link(kDemoFile, snapshot("new") / "m-Q4_0.gguf");
  write(root_ / "hub/models--org--my-model/refs/main", "new");
  EXPECT_THAT(listed(), ElementsAre("hf.co/org/my-model:Q4_0"));
}

TEST_F(HuggingFaceTest, AModelInAFolderOfItsOwnHasTheProjectorAboveIt) {
  link(kDemoFile, snapshot() / "Q4_0/m-Q4_0.gguf");
  link(kDemoTower, snapshot() / "mmproj-F16.gguf");
  link(kDemoTower, snapshot() / "mmproj-BF16.gguf");
  const auto entry = Catalog(options_).find("org/my-model");
  ASSERT_TRUE(entry.ok());
  EXPECT_EQ(entry.value().projector, snapshot() / "mmproj-BF16.gguf");
  EXPECT_EQ(entry.value().problem, "");
  link(kDemoFile, snapshot() / "gguf/deep/BF16/m-BF16.gguf");
  link(kDemoTower, snapshot() / "gguf/mmproj-F16.gguf");
  const auto deep = Catalog(options_).find("org/my-model:bf16");
  ASSERT_TRUE(deep.ok());
  EXPECT_EQ(deep.value().projector, snapshot() / "gguf/mmproj-F16.gguf");
}

TEST_F(HuggingFaceTest, ARevisionThatLeadsElsewhereIsNotFollowed) {
  link(kDemoFile, root_ / "hub/outside/x-Q8_0.gguf");
  link(kDemoFile, snapshot() / "m-Q4_0.gguf");
  write(root_ / "hub/models--org--my-model/refs/main", "../../outside");
  EXPECT_THAT(listed(), ElementsAre("hf.co/org/my-model:Q4_0"));
}

TEST_F(HuggingFaceTest, WhatHasNoModelIsLeftOutAndWhatIsBrokenHasAProblem) {
  write(snapshot() / "README.md", "hello");
  write(root_ / "hub/datasets--org--x/snapshots/a/x.gguf", "x");
  write(root_ / "hub/version.txt", "1");
  EXPECT_THAT(listed(), IsEmpty());
  link("../../blobs/gone", snapshot() / "m-Q4_0.gguf");
  const auto entries = Catalog(options_).list();
  ASSERT_EQ(entries.size(), 1);
  EXPECT_THAT(entries[0].problem, HasSubstr("m-Q4_0.gguf"));
}

}  // namespace
}  // namespace pleiad::store
