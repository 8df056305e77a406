#include "model/checkpoint.h"
#include "model/testing/small_projector.h"
#include "store/projector_file.h"
#include "store/test_stores.h"

namespace pleiad::store {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing_support::small_tower;
using testing_support::write_projector_file;

/// Models that see: the demo model with a projector file made for it.
class ProjectorTest : public StoresTest {
 protected:
  ProjectorTest() : model_dim_(Checkpoint::open(kDemoFile).config().model_dim) {
    options_.demo.clear();
  }

  ModelEntry find(const std::string& name) { return Catalog(options_).find(name).value(); }

  Path add_projector(const std::string& name, int more_width = 0) const {
    const Path path = root_ / name;
    fs::create_directories(path.parent_path());
    write_projector_file(path, small_tower(model_dim_ + more_width));
    return path;
  }

  /// A layer of a manifest of Ollama, any digest.
  Json add_projector_layer(int more_width = 0) const {
    const std::string hex(64, 'e');
    const Path blob = add_projector("ollama/blobs/sha256-" + hex, more_width);
    return layer("projector", hex, fs::file_size(blob));
  }

  int model_dim_;
};

TEST_F(ProjectorTest, OllamasProjectorLayerIsWhatTheModelSeesWith) {
  add_ollama("registry.ollama.ai/library/x/latest", {add_model_layer(), add_projector_layer()});
  const ModelEntry entry = find("x");
  EXPECT_EQ(entry.problem, "");
  EXPECT_EQ(entry.projector, root_ / "ollama/blobs" / ("sha256-" + std::string(64, 'e')));
  ASSERT_TRUE(entry.details && entry.details->vision);
  EXPECT_EQ(entry.details->vision->type, "F32");
  EXPECT_EQ(entry.details->vision->default_budget, 280);
  EXPECT_GT(entry.details->vision->parameter_count, 10'000U);
  EXPECT_EQ(entry.size_bytes, fs::file_size(kDemoFile) + fs::file_size(entry.projector));
}

TEST_F(ProjectorTest, OllamasModelWithAnotherProjectorAnswersWithoutIt) {
  add_ollama("registry.ollama.ai/library/x/latest", {add_model_layer(), add_projector_layer(8)});
  const ModelEntry entry = find("x");
  EXPECT_EQ(entry.problem, "");
  EXPECT_TRUE(entry.projector.empty());
  EXPECT_FALSE(entry.details->vision);
  EXPECT_THAT(entry.warnings, ElementsAre(HasSubstr("projection_dim")));
  EXPECT_THAT(entry.warnings, ElementsAre(HasSubstr(root_.path().string())));
  options_.allow_paths = false;  // as for requests from other machines
  EXPECT_THAT(find("x").warnings,
              ElementsAre(::testing::Not(HasSubstr(root_.path().filename().string()))));
}

TEST_F(ProjectorTest, AModelWhoseTowerTakesOtherPicturesIsNotSaidToSee) {
  link(kDemoFile, root_ / "folder/m.gguf");
  gemma4::VisionConfig config = small_tower(model_dim_);
  config.pooling = 2;
  write_projector_file(root_ / "folder/mmproj-m.gguf", config);
  const ModelEntry entry = find("m");
  EXPECT_EQ(entry.problem, "");
  ASSERT_TRUE(entry.details);
  EXPECT_FALSE(entry.details->vision);
}

TEST_F(ProjectorTest, AMissingOrSecondProjectorIsNamed) {
  const Json projector = add_projector_layer();
  add_ollama("registry.ollama.ai/library/two/latest", {add_model_layer(), projector, projector});
  add_ollama("registry.ollama.ai/library/gone/latest",
             {add_model_layer(), layer("projector", std::string(64, 'b'), 1)});
  EXPECT_THAT(find("two").problem, HasSubstr("two projector files"));
  EXPECT_THAT(find("gone").problem, HasSubstr("is missing, its projector"));
}

TEST_F(ProjectorTest, AProjectorBesideAFileBelongsToItAsLongAsItIsThere) {
  link(kDemoFile, root_ / "folder/m.gguf");
  Catalog catalog(options_);
  EXPECT_FALSE(catalog.find("m").value().details->vision);
  const std::uint64_t alone = catalog.find("m").value().size_bytes;
  const Path projector = add_projector("folder/mmproj-m.gguf");
  const ModelEntry sees = catalog.find("m").value();
  EXPECT_TRUE(sees.details->vision);
  EXPECT_EQ(sees.projector, "") << "it names none";
  EXPECT_THAT(sees.projectors(), ElementsAre(projector));
  EXPECT_EQ(sees.size_bytes, alone + fs::file_size(projector));
  EXPECT_THAT(names(catalog.list()), ElementsAre("m:latest"));
  fs::remove(projector);
  EXPECT_FALSE(catalog.find("m").value().details->vision);
}

TEST_F(ProjectorTest, ASnapshotOfTheHubSeesWithItsProjector) {
  const std::string snapshot = "hub/models--org--m/snapshots/1/";
  link(kDemoFile, root_ / (snapshot + "m-Q4_0.gguf"));
  const Path projector = add_projector(snapshot + "mmproj-F16.gguf");
  const ModelEntry entry = find("org/m:Q4_0");
  EXPECT_THAT(entry.projectors(), ElementsAre(projector));
  EXPECT_TRUE(entry.details->vision);
}

// Each holds one tower: neither is named, lest the other be left out.
TEST_F(ProjectorTest, TwoFilesBesideAModelAreBothItsOwn) {
  const fs::path golden = golden_path("audio/e2b");
  link(golden / "e2b.gguf", root_ / "folder/m.gguf");
  link(fs::path(golden_path("media/e2b")) / "mmproj-e2b.gguf", root_ / "folder/mmproj-m.gguf");
  link(golden / "audio-alone.gguf", root_ / "folder/mmproj-sound.gguf");
  Catalog catalog(options_);
  NewModel model;
  model.name = "two";
  model.from = "m";
  catalog.create(model);
  for (const char* name : {"m", "two"}) {
    SCOPED_TRACE(name);
    const ModelEntry entry = catalog.find(name).value();
    EXPECT_EQ(entry.projector, "");
    EXPECT_THAT(entry.projectors(),
                ElementsAre(root_ / "folder/mmproj-m.gguf", root_ / "folder/mmproj-sound.gguf"));
    EXPECT_TRUE(entry.details->vision);
    EXPECT_TRUE(entry.details->audio);
    const Checkpoint opened = Checkpoint::open(entry.path, {entry.projector});
    EXPECT_NE(opened.vision(), nullptr);
    EXPECT_NE(opened.audio(), nullptr);
  }
}

TEST_F(ProjectorTest, ASecondFromNamesTheProjector) {
  const Path projector = add_projector("else/eyes.gguf");
  Catalog catalog(options_);
  for (const std::string& text : {"FROM " + kDemoFile.string() + "\nFROM eyes.gguf",
                                  "FROM eyes.gguf\nFROM " + kDemoFile.string()}) {
    auto model = parse_modelfile(text, root_ / "else");
    ASSERT_TRUE(model.ok()) << model.message();
    model.value().name = "sees";
    const ModelEntry made = catalog.create(model.value());
    EXPECT_EQ(made.projector, projector);
    EXPECT_EQ(made.path, kDemoFile);
    EXPECT_TRUE(made.details->vision);
    EXPECT_THAT(to_modelfile(made), HasSubstr("\nFROM " + projector.string()));
    catalog.copy("sees", "copy");
    EXPECT_EQ(catalog.find("copy").value().projector, projector);
    catalog.remove("sees");
    catalog.remove("copy");
    EXPECT_TRUE(fs::exists(projector)) << "it is the user's";
  }
}

TEST_F(ProjectorTest, WhatIsNoProjectorOrOfAnotherWidthIsRefused) {
  const Path wide = add_projector("wide.gguf", 8);
  Catalog catalog(options_);
  const auto message = [&](const Path& projector) {
    NewModel model = from("x", kDemoFile.string());
    model.projector = projector.string();
    try {
      catalog.create(model);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_THAT(message(wide), HasSubstr("projection_dim"));
  EXPECT_THAT(message(kDemoFile), HasSubstr("is no projector"));
  EXPECT_THAT(message(root_ / "none.gguf"), HasSubstr("no such file"));
  EXPECT_FALSE(catalog.find("x").ok());
}

TEST_F(ProjectorTest, AProjectorAmongUploadedFilesIsToldApartAndGoesWithItsModel) {
  const std::string bytes = read(add_projector("upload.gguf"));
  Catalog catalog(options_);
  NewModel model;
  model.name = "up";
  model.files = {{"eyes.gguf", put_blob(catalog, bytes)},
                 {"model.gguf", put_blob(catalog, read(kDemoFile))}};
  const ModelEntry entry = catalog.create(model);
  EXPECT_EQ(entry.problem, "");
  EXPECT_EQ(entry.projector, root_ / "own/blobs" / ("sha256-" + sha256_hex(bytes)));
  EXPECT_TRUE(entry.details->vision);
  EXPECT_EQ(entry.size_bytes, fs::file_size(kDemoFile) + bytes.size());
  catalog.copy("up", "again");
  catalog.remove("up");
  EXPECT_TRUE(catalog.find("again").value().details->vision) << "its blobs are still needed";
  catalog.remove("again");
  EXPECT_EQ(count_below(root_ / "own/blobs"), 0U);
}

TEST_F(ProjectorTest, AProjectorAloneIsNoModel) {
  Catalog catalog(options_);
  NewModel model;
  model.name = "x";
  model.files = {{"eyes.gguf", put_blob(catalog, read(add_projector("a.gguf")))}};
  EXPECT_THROW(catalog.create(model), Error);
}

TEST_F(ProjectorTest, AProjectorThatHasGoneIsNamed) {
  const Path projector = add_projector("eyes.gguf");
  Catalog catalog(options_);
  NewModel model = from("x", kDemoFile.string());
  model.projector = projector.string();
  catalog.create(model);
  fs::remove(projector);
  EXPECT_THAT(catalog.find("x").value().problem, HasSubstr("eyes.gguf is missing"));
}

TEST(IsProjectorFile, LooksAtWhatAFileSaysOfItself) {
  EXPECT_FALSE(is_projector_file(kDemoFile));
  EXPECT_FALSE(is_projector_file("/nowhere"));
  EXPECT_TRUE(is_projector_file(fs::path(golden_path()) / "media/e2b/mmproj-e2b.gguf"));
}

}  // namespace
}  // namespace pleiad::store
