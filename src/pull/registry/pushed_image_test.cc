#include "pull/registry/pushed_image.h"

#include "pull/registry/testing/registry_fixture.h"

namespace pleiad::pull {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using PushedImageTest = testing::RegistryTest;

std::vector<std::string> kinds(const PushedImage& image) {
  std::vector<std::string> result;
  for (const PushedBlob& blob : image.blobs) {
    result.push_back(blob.media_type.substr(blob.media_type.rfind('.') + 1));
  }
  return result;
}

TEST_F(PushedImageTest, OfAFileInPlaceIsHashed) {
  store::ModelEntry entry = catalog_.find(demo_file().string()).value();
  entry.recipe.system = "Be brief.";
  entry.recipe.licenses = {"A", "B"};
  entry.recipe.parameters = {{"top_k", 3}, {"stop", "x"}};
  entry.recipe.messages = Json::array({{{"role", "user"}, {"content", "Hi"}}});
  const auto image = make_image(entry, sink(), {});
  ASSERT_TRUE(image.ok()) << image.message();
  std::vector<std::string> expected = {"model",  "system",   "license", "license",
                                       "params", "messages", "v1+json"};
  // The demo model's tower lies beside it.
  if (entry.projectors().size() == 1) expected.insert(expected.begin() + 1, "projector");
  EXPECT_EQ(kinds(image.value()), expected);
  EXPECT_EQ(image.value().blobs[0].hex, sha256_hex(demo_bytes()));
  EXPECT_EQ(image.value().blobs[0].size, demo_bytes().size());
  EXPECT_EQ(told_.front().status, "hashing pleiad-demo.gguf");
  EXPECT_EQ(told_.front().total, demo_bytes().size());
  const Json manifest = parse_json(image.value().manifest, "it");
  EXPECT_EQ(manifest["layers"].size(), expected.size() - 1);
  EXPECT_EQ(manifest["config"]["digest"], "sha256:" + image.value().blobs.back().hex);
  const Json config = parse_json(image.value().blobs.back().bytes, "it");
  EXPECT_EQ(config["model_format"], "gguf");
  EXPECT_EQ(config["model_family"], "gemma4");
  EXPECT_EQ(config["file_type"], entry.details->quantization_level);
}

TEST_F(PushedImageTest, OfABlobIsKnownByItsName) {
  const std::string hex = sha256_hex(demo_bytes());
  for (const std::string& name : {"sha256-" + hex, "sha256:" + hex, hex}) {
    const Path blob = root_ / name / "blobs" / name;
    std::filesystem::create_directories(blob.parent_path());
    std::filesystem::create_symlink(demo_file(), root_ / "link");
    std::filesystem::copy_file(demo_file(), blob);
    std::filesystem::remove(root_ / "link");
    store::ModelEntry entry = catalog_.find(blob.string()).value();
    const auto image = make_image(entry, sink(), {});
    ASSERT_TRUE(image.ok()) << image.message();
    EXPECT_EQ(image.value().blobs[0].hex, hex);
  }
  EXPECT_THAT(told_, IsEmpty()) << "nothing was hashed";
}

TEST_F(PushedImageTest, WhatIsNoSingleFileIsRefused) {
  store::ModelEntry entry;
  entry.name = "folder";
  entry.path = root_;
  EXPECT_THAT(make_image(entry, sink(), {}).message(), HasSubstr("not known well enough"));
  entry.details.emplace();
  entry.details->format = "safetensors";
  EXPECT_THAT(make_image(entry, sink(), {}).message(), HasSubstr("folder of safetensors"));
  entry.details->format = "gguf";
  entry.path = root_ / "x-00001-of-00002.gguf";
  EXPECT_THAT(make_image(entry, sink(), {}).message(), HasSubstr("split in several files"));
  entry.path = root_ / "gone.gguf";
  EXPECT_THAT(make_image(entry, sink(), {}).message(), HasSubstr("gone.gguf: cannot be read"));
  entry.projectors_beside = {"a", "b"};
  EXPECT_THAT(make_image(entry, sink(), {}).message(), HasSubstr("two projectors"));
  entry.problem = "damaged";
  EXPECT_EQ(make_image(entry, sink(), {}).message(), "damaged");
}

TEST_F(PushedImageTest, HashingStopsWhenItIsAskedTo) {
  const store::ModelEntry entry = catalog_.find(demo_file().string()).value();
  EXPECT_THAT(make_image(entry, sink(), [] { return true; }).message(), HasSubstr("stopped"));
}

}  // namespace
}  // namespace pleiad::pull
