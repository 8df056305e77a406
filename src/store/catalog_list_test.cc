#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "store/test_stores.h"

namespace pleiad::store {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

using CatalogListTest = StoresTest;

TEST_F(CatalogListTest, NothingAtHandIsAnEmptyList) {
  options_.demo.clear();
  EXPECT_TRUE(Catalog(options_).list().empty());
  EXPECT_FALSE(fs::exists(options_.own)) << "listing makes no folders";
}

TEST_F(CatalogListTest, ShowsModelsOfEverySourceWithTheirDetails) {
  add_ollama("registry.ollama.ai/library/gemma4/e2b", {add_model_layer()});
  link(kDemoFile, root_ / "hub/models--google--gemma/snapshots/abc/gemma-Q8_0.gguf");
  link(kDemoFile, root_ / "folder/deep/er/mine.gguf");
  Catalog catalog(options_);
  catalog.create(from("own", "demo"));
  const auto entries = catalog.list();
  EXPECT_THAT(names(entries), UnorderedElementsAre("gemma4:e2b", "hf.co/google/gemma:Q8_0",
                                                   "mine:latest", "own:latest", "demo:latest"));
  for (const ModelEntry& entry : entries) {
    EXPECT_EQ(entry.problem, "") << entry.name;
    ASSERT_TRUE(entry.details) << entry.name;
    EXPECT_EQ(entry.details->format, "gguf");
    EXPECT_GT(entry.details->parameter_count, 1'000'000);
    EXPECT_GT(entry.details->context_length, 0);
    EXPECT_NE(entry.details->quantization_level, "");
    const bool has_tower = entry.name == "demo:latest" || entry.name == "own:latest";
    EXPECT_EQ(entry.size_bytes,
              fs::file_size(kDemoFile) + (has_tower ? fs::file_size(kDemoTower) : 0))
        << entry.name;
    EXPECT_EQ(entry.digest.size(), 64);
    EXPECT_GT(entry.modified, 0);
  }
}

TEST_F(CatalogListTest, TheLatestChangedComesFirst) {
  add_ollama("registry.ollama.ai/library/old/latest", {add_model_layer()});
  add_ollama("registry.ollama.ai/library/new/latest", {add_model_layer()});
  const auto set_time = [&](const std::string& model, std::time_t seconds) {
    const timespec times[2] = {{seconds, 0}, {seconds, 0}};
    const fs::path path = root_ / "ollama/manifests/registry.ollama.ai/library" / model / "latest";
    ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  };
  set_time("old", 1000);
  set_time("new", 2000);
  options_.demo.clear();
  EXPECT_THAT(names(Catalog(options_).list()), ElementsAre("new:latest", "old:latest"));
}

TEST_F(CatalogListTest, OurOwnModelHidesOneOfOllamaWithTheSameName) {
  add_ollama("registry.ollama.ai/library/same/latest", {add_model_layer()});
  options_.demo.clear();
  Catalog catalog(options_);
  catalog.create(from("Same", "same"));
  const auto entries = catalog.list();
  ASSERT_EQ(entries.size(), 1);
  EXPECT_EQ(entries[0].source, Source::own);
}

TEST_F(CatalogListTest, ADamagedFileIsListedWithWhatIsWrong) {
  write(root_ / "folder/text.gguf", "this is no model");
  write(root_ / "folder/cut.gguf", read(kDemoFile).substr(0, 100'000));
  link(root_ / "nowhere", root_ / "folder/dangling.gguf");
  link(root_ / "folder/loop.gguf", root_ / "folder/loop.gguf");
  options_.demo.clear();
  const auto entries = Catalog(options_).list();
  EXPECT_EQ(entries.size(), 4);
  for (const ModelEntry& entry : entries) {
    EXPECT_NE(entry.problem, "") << entry.name;
    EXPECT_FALSE(entry.details) << entry.name;
  }
}

TEST_F(CatalogListTest, AnUnreadableFolderHidesNothingElse) {
  write(root_ / "folder/locked/x.gguf", "x");
  link(kDemoFile, root_ / "folder/fine.gguf");
  fs::permissions(root_ / "folder/locked", fs::perms::none);
  const auto entries = Catalog(options_).list();
  fs::permissions(root_ / "folder/locked", fs::perms::owner_all);
  EXPECT_THAT(names(entries), ::testing::Contains("fine:latest"));
}

TEST_F(CatalogListTest, FoldersThatLinkToThemselvesAreSeenOnce) {
  link(kDemoFile, root_ / "folder/a/mine.gguf");
  link(root_ / "folder", root_ / "folder/a/up");
  options_.demo.clear();
  EXPECT_THAT(names(Catalog(options_).list()), ElementsAre("mine:latest"));
}

TEST_F(CatalogListTest, TwoFilesOfOneNameInAFolderGoByTheirPaths) {
  link(kDemoFile, root_ / "folder/a/mine.gguf");
  link(kDemoFile, root_ / "folder/b/mine.gguf");
  options_.demo.clear();
  const std::string a = (root_ / "folder/a/mine.gguf").string();
  EXPECT_THAT(names(Catalog(options_).list()),
              UnorderedElementsAre(a, (root_ / "folder/b/mine.gguf").string()));
  options_.allow_paths = false;
  EXPECT_TRUE(Catalog(options_).find(a).ok()) << "what is listed can be asked for";
}

TEST_F(CatalogListTest, ACheckpointFolderIsOneModel) {
  make_checkpoint(root_ / "folder/my-e4b");
  options_.demo.clear();
  const auto entries = Catalog(options_).list();
  ASSERT_THAT(names(entries), ElementsAre("my-e4b:latest"));
  EXPECT_EQ(entries[0].problem, "");
  EXPECT_EQ(entries[0].details->format, "safetensors");
  EXPECT_EQ(entries[0].path, root_ / "folder/my-e4b");
}

TEST_F(CatalogListTest, AFileThatChangesIsLookedAtAgain) {
  write(root_ / "folder/mine.gguf", "no model yet");
  options_.demo.clear();
  const Catalog catalog(options_);
  EXPECT_THAT(catalog.list().at(0).problem, HasSubstr("mine.gguf"));
  const std::string digest = catalog.list().at(0).digest;
  fs::copy_file(kDemoFile, root_ / "folder/mine.gguf", fs::copy_options::overwrite_existing);
  EXPECT_EQ(catalog.list().at(0).problem, "");
  EXPECT_NE(catalog.list().at(0).digest, digest);
}

}  // namespace
}  // namespace pleiad::store
