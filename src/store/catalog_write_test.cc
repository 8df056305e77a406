#include "store/test_stores.h"

namespace pleiad::store {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class CatalogWriteTest : public StoresTest {
 protected:
  /// The text of the Error that `work` throws.
  template <typename Work>
  static std::string error_of(Work work) {
    try {
      work();
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }
  fs::path blob(const std::string& digest) const {
    return root_ / "own/blobs" / ("sha256-" + digest.substr(7));
  }
};

TEST_F(CatalogWriteTest, AModelThatIsMadeOfAnotherPointsToItsFileInPlace) {
  add_ollama("registry.ollama.ai/library/gemma4/e2b", {add_model_layer()});
  Catalog catalog(options_);
  NewModel model = from("mine", "gemma4:e2b");
  model.recipe.system = "Be brief.";
  const ModelEntry made = catalog.create(model);
  EXPECT_EQ(made.path, catalog.find("gemma4:e2b").value().path);
  EXPECT_EQ(made.parent, "gemma4:e2b");
  EXPECT_EQ(made.recipe.system, "Be brief.");
  EXPECT_EQ(made.source, Source::own);
  EXPECT_FALSE(fs::exists(root_ / "own/blobs")) << "nothing is copied";
}

TEST_F(CatalogWriteTest, ARecipeIsLaidOverThatOfItsBase) {
  Catalog catalog(options_);
  NewModel base = from("base", "demo");
  base.recipe.system = "old";
  base.recipe.parameters = {{"top_k", 3}, {"stop", "a"}, {"stop", "b"}, {"seed", 7}};
  base.recipe.messages = Json::array({{{"role", "user"}, {"content", "Hi"}}});
  base.recipe.licenses = {"L1"};
  catalog.create(base);
  NewModel top = from("top", "base");
  top.recipe.system = "new";
  top.recipe.parameters = {{"stop", Json::array({"c", "d"})}, {"seed", 9.0}};
  top.recipe.licenses = {"L1", "L2"};
  const Recipe recipe = catalog.create(top).recipe;
  EXPECT_EQ(recipe.system, "new");
  const std::vector<std::pair<std::string, Json>> expected = {
      {"top_k", 3}, {"stop", "c"}, {"stop", "d"}, {"seed", 9}};
  EXPECT_EQ(recipe.parameters, expected);
  EXPECT_EQ(recipe.messages.size(), 1);
  EXPECT_THAT(recipe.licenses, ElementsAre("L1", "L2"));
}

TEST_F(CatalogWriteTest, WrongParametersAndMessagesAreNamedAndNothingIsMade) {
  Catalog catalog(options_);
  NewModel model = from("mine", "demo");
  model.recipe.parameters = {{"top_p", 2}, {"num_gpu", 1}};
  model.recipe.messages = Json::array({{{"role", "robot"}, {"content", "Hi"}}});
  model.recipe.licenses = {"\xff"};
  const std::string error = error_of([&] { catalog.create(model); });
  for (const char* part : {"top_p", "num_gpu", "messages[0].role", "license"}) {
    EXPECT_THAT(error, HasSubstr(part));
  }
  EXPECT_FALSE(catalog.find("mine").ok());
}

TEST_F(CatalogWriteTest, ABlobIsTakenPieceByPieceAndMadeAModel) {
  Catalog catalog(options_);
  const std::string bytes = read(kDemoFile);
  const std::string digest = "sha256:" + sha256_hex(bytes);
  EXPECT_FALSE(catalog.has_blob(digest));
  auto writer = catalog.write_blob(digest);
  for (std::size_t at = 0; at < bytes.size(); at += 1'000'000) {
    writer->write(
        std::span(bytes).subspan(at, std::min<std::size_t>(1'000'000, bytes.size() - at)));
  }
  EXPECT_FALSE(catalog.has_blob(digest)) << "before it is whole";
  writer->finish();
  EXPECT_TRUE(catalog.has_blob(digest));
  NewModel model;
  model.name = "uploaded";
  model.files = {{"model.gguf", digest}};
  const ModelEntry entry = catalog.create(model);
  EXPECT_EQ(entry.path, blob(digest));
  EXPECT_EQ(entry.problem, "");
  EXPECT_EQ(entry.size_bytes, bytes.size());
}

TEST_F(CatalogWriteTest, ABlobWithAnotherDigestLeavesNothing) {
  Catalog catalog(options_);
  const std::string digest = "sha256:" + sha256_hex("this");
  {
    auto writer = catalog.write_blob(digest);
    writer->write(std::string("that"));
    EXPECT_THAT(error_of([&] { writer->finish(); }), HasSubstr("digest"));
  }
  { catalog.write_blob(digest)->write(std::string("never finished")); }
  EXPECT_FALSE(catalog.has_blob(digest));
  EXPECT_EQ(count_below(root_ / "own/blobs"), 0);
}

TEST_F(CatalogWriteTest, HostileDigestsTouchNoPath) {
  Catalog catalog(options_);
  for (const std::string& digest :
       {std::string(), std::string("sha256:"), std::string("sha256:../../../etc/passwd"),
        "sha256:" + std::string(64, '/'), "sha256:" + std::string(63, 'a'),
        "sha256:" + std::string(65, 'a'), "sha512:" + std::string(64, 'a'),
        "sha256:" + std::string(63, 'a') + '\0', "sha256-" + std::string(64, 'a')}) {
    EXPECT_THROW(catalog.has_blob(digest), Error) << digest;
    EXPECT_THROW(catalog.write_blob(digest), Error) << digest;
    NewModel model;
    model.name = "x";
    model.files = {{"x.gguf", digest}};
    EXPECT_THROW(catalog.create(model), Error) << digest;
  }
  EXPECT_FALSE(fs::exists(root_ / "own/blobs"));
}

TEST_F(CatalogWriteTest, AFolderOfBlobsIsACheckpoint) {
  Catalog catalog(options_);
  NewModel model;
  model.name = "uploaded";
  make_checkpoint(root_ / "sent");
  for (const auto& file : fs::directory_iterator(root_ / "sent")) {
    model.files.emplace_back(file.path().filename().string(), put_blob(catalog, read(file.path())));
  }
  const ModelEntry entry = catalog.create(model);
  EXPECT_EQ(entry.details->format, "safetensors");
  EXPECT_EQ(entry.problem, "");
  catalog.copy("uploaded", "copied");
  catalog.remove("uploaded");
  EXPECT_EQ(catalog.find("copied").value().problem, "");
  catalog.remove("copied");
  EXPECT_EQ(count_below(root_ / "own/blobs"), 0);
  EXPECT_EQ(count_below(root_ / "own/checkpoints"), 0);
}

TEST_F(CatalogWriteTest, WhatIsNoModelIsRefusedAndTheOldOneStays) {
  Catalog catalog(options_);
  catalog.create(from("mine", "demo"));
  NewModel model;
  model.name = "mine";
  model.files = {{"model.gguf", put_blob(catalog, "no model at all")}};
  EXPECT_THROW(catalog.create(model), Error);
  model.files.emplace_back("config.json", put_blob(catalog, "{}"));
  EXPECT_THROW(catalog.create(model), Error);
  EXPECT_EQ(catalog.find("mine").value().path, kDemoFile);
  EXPECT_EQ(count_below(root_ / "own/checkpoints"), 0);
}

TEST_F(CatalogWriteTest, FileNamesThatLeadElsewhereAreRefused) {
  Catalog catalog(options_);
  const std::string digest = put_blob(catalog, "x");
  for (const char* name : {"../x", "a/b", ".hidden", "", "..", "/x", "a\nb"}) {
    NewModel model;
    model.name = "x";
    model.files = {{name, digest}, {"y", digest}};
    EXPECT_THAT(error_of([&] { catalog.create(model); }), HasSubstr("file name")) << name;
  }
}

TEST_F(CatalogWriteTest, HostileNamesAreRefused) {
  Catalog catalog(options_);
  for (const char* name :
       {"", "../x", "a/../../b", "/x", "a:", ":a", "a/b/c/d", ".x", "x:.y", "a b",
        "x:../../../../y", "demo", "DEMO:latest", "-x", "m:v1.partial-abc123"}) {
    EXPECT_THROW(catalog.create(from(name, "demo")), Error) << name;
    EXPECT_THROW(catalog.copy("demo", name), Error) << name;
  }
  EXPECT_EQ(count_below(root_ / "own/manifests"), 0);
}

TEST_F(CatalogWriteTest, NamesThatDifferInCaseAreOneModel) {
  Catalog catalog(options_);
  catalog.create(from("Mine", "demo"));
  NewModel second = from("mine", "demo");
  second.recipe.system = "second";
  EXPECT_EQ(catalog.create(second).name, "Mine:latest");
  EXPECT_EQ(catalog.find("MINE").value().recipe.system, "second");
  catalog.remove("mINE");
  EXPECT_FALSE(catalog.find("Mine").ok());
}

TEST_F(CatalogWriteTest, ABlobStaysAsLongAsAModelNeedsIt) {
  Catalog catalog(options_);
  const std::string digest = put_blob(catalog, read(kDemoFile));
  const std::string waiting = put_blob(catalog, "sent for a model to come");
  NewModel model;
  model.name = "first";
  model.files = {{"m.gguf", digest}};
  catalog.create(model);
  catalog.create(from("second", "first"));
  catalog.remove("first");
  EXPECT_EQ(catalog.find("second").value().problem, "");
  catalog.create(from("second", "demo"));
  EXPECT_FALSE(catalog.has_blob(digest)) << "replaced: nothing needs it any more";
  EXPECT_TRUE(catalog.has_blob(waiting));
  catalog.remove("second");
  EXPECT_FALSE(fs::exists(root_ / "own/manifests/registry.ollama.ai"));
}

TEST_F(CatalogWriteTest, WhatOthersOwnIsNotRemoved) {
  add_ollama("registry.ollama.ai/library/gemma4/e2b", {add_model_layer()});
  Catalog catalog(options_);
  EXPECT_THAT(error_of([&] { catalog.remove("gemma4:e2b"); }), HasSubstr("Ollama"));
  EXPECT_THAT(error_of([&] { catalog.remove("demo"); }), HasSubstr("demo"));
  EXPECT_THROW(catalog.remove(kDemoFile.string()), Error);
  EXPECT_TRUE(fs::exists(kDemoFile));
  EXPECT_TRUE(catalog.find("gemma4:e2b").ok());
  EXPECT_THROW(catalog.remove("nothing"), ModelNotFound);
  EXPECT_THROW(catalog.copy("nothing", "x"), ModelNotFound);
}

TEST_F(CatalogWriteTest, ACopyHasTheRecipeAndOutlivesItsSource) {
  Catalog catalog(options_);
  NewModel model = from("first", "demo");
  model.recipe.system = "Be brief.";
  catalog.create(model);
  catalog.copy("first", "someone/second:v1");
  catalog.remove("first");
  const ModelEntry entry = catalog.find("someone/second:v1").value();
  EXPECT_EQ(entry.recipe.system, "Be brief.");
  EXPECT_EQ(entry.parent, "demo");
  EXPECT_EQ(entry.problem, "");
}

TEST_F(CatalogWriteTest, AModelWhoseFileWentAwaySaysSo) {
  link(kDemoFile, root_ / "mine.gguf");
  Catalog catalog(options_);
  catalog.create(from("mine", (root_ / "mine.gguf").string()));
  fs::remove(root_ / "mine.gguf");
  EXPECT_THAT(catalog.find("mine").value().problem, HasSubstr("is missing"));
  EXPECT_THROW(catalog.copy("mine", "other"), Error);
  catalog.remove("mine");
}

TEST_F(CatalogWriteTest, ADamagedManifestIsListedAndCanBeRemoved) {
  write(root_ / "own/manifests/registry.ollama.ai/library/bad/latest", "{\"format\":");
  Catalog catalog(options_);
  EXPECT_THAT(catalog.find("bad").value().problem, HasSubstr("bad/latest"));
  catalog.remove("bad");
  EXPECT_FALSE(catalog.find("bad").ok());
}

}  // namespace
}  // namespace pleiad::store
