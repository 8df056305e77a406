#include "store/hugging_face_removal.h"

#include "store/test_stores.h"

namespace pleiad::store {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class HuggingFaceRemovalTest : public StoresTest {
 protected:
  HuggingFaceRemovalTest() {
    options_.demo.clear();
    repository_ = root_ / "hub/models--org--m";
    write(root_ / "hub/.locks/models--org--m/x.lock", "");
  }

  /// A file of a snapshot, as a link to a blob of that name.
  void add(const std::string& path, const std::string& blob, const std::string& commit = "new",
           const fs::path& content = kDemoFile) const {
    fs::create_directories(repository_ / "blobs");
    if (!fs::exists(repository_ / "blobs" / blob)) {
      fs::copy_file(content, repository_ / "blobs" / blob);
    }
    fs::path up;
    for (int i = static_cast<int>(std::ranges::count(path, '/')) + 2; i > 0; --i) up /= "..";
    link(up / "blobs" / blob, repository_ / "snapshots" / commit / path);
    write(repository_ / "refs" / (commit == "new" ? "main" : "v1/x"), commit);
  }
  std::vector<std::string> blobs() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(repository_ / "blobs")) {
      names.push_back(entry.path().filename().string());
    }
    std::ranges::sort(names);
    return names;
  }
  void remove(const std::string& name) { Catalog(options_).remove(name); }

  fs::path repository_;
};

TEST_F(HuggingFaceRemovalTest, TheOnlyModelGoesWithItsRepository) {
  add("m-Q4_0.gguf", "a");
  add("mmproj-F16.gguf", "p", "new", kDemoTower);
  write(repository_ / "trees/new.json", "{}");
  remove("org/m");
  EXPECT_FALSE(fs::exists(repository_));
  EXPECT_FALSE(fs::exists(root_ / "hub/.locks/models--org--m"));
  EXPECT_TRUE(fs::exists(root_ / "hub"));
}

TEST_F(HuggingFaceRemovalTest, OfSeveralModelsOneGoesAndTheProjectorStays) {
  add("m-Q4_0.gguf", "a");
  add("BF16/m-BF16.gguf", "b");
  add("mmproj-F16.gguf", "p", "new", kDemoTower);
  remove("hf.co/org/m:BF16");
  EXPECT_THAT(blobs(), ElementsAre("a", "p"));
  EXPECT_FALSE(fs::exists(repository_ / "snapshots/new/BF16"));
  EXPECT_EQ(read(repository_ / "refs/main"), "new");
}

TEST_F(HuggingFaceRemovalTest, WhatAnotherSnapshotLeadsToStays) {
  add("m-Q4_0.gguf", "shared");
  add("m-Q8_0.gguf", "new-one");
  add("m-Q4_0.gguf", "shared", "old");
  add("m-Q5_K_M.gguf", "old-one", "old");
  remove("org/m:Q4_0");
  EXPECT_THAT(blobs(), ElementsAre("new-one", "old-one", "shared"));
  remove("org/m@v1/x:Q4_0");
  remove("org/m@v1/x:Q5_K_M");
  EXPECT_THAT(blobs(), ElementsAre("new-one"));
  EXPECT_FALSE(fs::exists(repository_ / "snapshots/old"));
  EXPECT_FALSE(fs::exists(repository_ / "refs/v1"));
  EXPECT_EQ(read(repository_ / "refs/main"), "new");
}

TEST_F(HuggingFaceRemovalTest, AllPartsOfASplitModelGo) {
  add("q/m-Q4_0-00001-of-00002.gguf", "a");
  add("q/m-Q4_0-00002-of-00002.gguf", "b");
  add("README.md", "readme");
  write(repository_ / "blobs/c.incomplete", "begun");
  remove("org/m");
  EXPECT_THAT(blobs(), ElementsAre("c.incomplete", "readme"));
  EXPECT_FALSE(fs::exists(repository_ / "snapshots/new/q"));
}

TEST_F(HuggingFaceRemovalTest, AFolderGoesAndGgufFilesStay) {
  const fs::path golden = Path(golden_path()) / "models" / "e4b-fp8";
  add("config.json", "c", "new", golden / "config.json");
  add("model.safetensors", "s", "new", golden / "model.safetensors");
  add("m-Q4_0.gguf", "a");
  remove("hf.co/org/m");
  EXPECT_THAT(blobs(), ElementsAre("a"));
  EXPECT_THAT(names(Catalog(options_).list()), ElementsAre("hf.co/org/m:Q4_0"));
}

TEST_F(HuggingFaceRemovalTest, WhatLiesElsewhereIsNotTouched) {
  ModelEntry entry;
  entry.path = kDemoFile;
  try {
    remove_from_hugging_face(entry);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("does not lie in a snapshot"));
  }
  link(kDemoFile, repository_ / "snapshots/new/m-Q4_0.gguf");
  remove("org/m");
  EXPECT_TRUE(fs::exists(kDemoFile));
  EXPECT_THAT(names(Catalog(options_).list()), IsEmpty());
}

}  // namespace
}  // namespace pleiad::store
