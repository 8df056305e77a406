#include "store/manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pleiad::store {
namespace {

using ::testing::HasSubstr;

TEST(ParseManifest, ReadsWhatIsWritten) {
  Manifest manifest;
  manifest.files = {{"config.json", std::string(64, 'a')}, {"m.safetensors", std::string(64, 'b')}};
  manifest.from = "gemma4:e2b";
  manifest.recipe.system = "Be \"brief\".\n";
  manifest.recipe.parameters = {{"top_k", 3}, {"stop", "a"}, {"stop", "b"}};
  manifest.recipe.messages = Json::array({{{"role", "user"}, {"content", "Hi"}}});
  manifest.recipe.licenses = {"one", "two"};
  const Manifest read = parse_manifest(to_json_text(manifest)).value();
  EXPECT_EQ(read.files, manifest.files);
  EXPECT_EQ(read.from, manifest.from);
  EXPECT_EQ(read.recipe.system, manifest.recipe.system);
  EXPECT_EQ(read.recipe.parameters, manifest.recipe.parameters);
  EXPECT_EQ(read.recipe.messages, manifest.recipe.messages);
  EXPECT_EQ(read.recipe.licenses, manifest.recipe.licenses);
}

TEST(ParseManifest, KeepsAProjector) {
  Manifest manifest;
  manifest.blob = std::string(64, 'a');
  manifest.projector_blob = std::string(64, 'b');
  Manifest read = parse_manifest(to_json_text(manifest)).value();
  EXPECT_EQ(read.projector_blob, manifest.projector_blob);
  EXPECT_EQ(read.blobs(), (std::vector<std::string>{manifest.blob, manifest.projector_blob}));
  manifest.projector_blob.clear();
  manifest.projector_path = "/models/mmproj.gguf";
  read = parse_manifest(to_json_text(manifest)).value();
  EXPECT_EQ(read.projector_path, manifest.projector_path);
  EXPECT_TRUE(read.projector_blob.empty());
}

TEST(ParseManifest, SaysWhatIsWrong) {
  const auto message = [](const std::string& text) {
    const auto manifest = parse_manifest(text);
    return manifest ? "no failure" : manifest.message();
  };
  const std::string start = R"({"format": "pleiad-model/1")";
  EXPECT_THAT(message(""), HasSubstr("JSON"));
  EXPECT_THAT(message("[]"), HasSubstr("object"));
  EXPECT_THAT(message("{}"), HasSubstr("format"));
  EXPECT_THAT(message(start + "}"), HasSubstr("model is missing"));
  EXPECT_THAT(message(start + R"(, "model": {}})"), HasSubstr("one of path"));
  EXPECT_THAT(message(start + R"(, "model": {"path": "x"}})"), HasSubstr("absolute path"));
  EXPECT_THAT(message(start + R"(, "model": {"path": 7}})"), HasSubstr("expected a text"));
  EXPECT_THAT(message(start + R"(, "model": {"blob": "sha256:../x"}})"), HasSubstr("digest"));
  EXPECT_THAT(message(start + R"(, "model": {"files": {"../x": "sha256:"}}})"),
              HasSubstr("file name"));
  EXPECT_THAT(message(start + R"(, "model": {"path": "/x"}, "projector": {"path": "y"}})"),
              HasSubstr("projector.path: expected an absolute path"));
  EXPECT_THAT(message(start + R"(, "model": {"path": "/x"}, "projector": "/y"})"),
              HasSubstr("projector: expected an object"));
  EXPECT_THAT(message(start + R"(, "model": {"path": "/x"}, "parameters": {"top_p": 7}})"),
              HasSubstr("top_p"));
  EXPECT_THAT(message(start + R"(, "model": {"path": "/x"}, "messages": [7]})"),
              HasSubstr("messages[0]"));
  EXPECT_THAT(message(start + R"(, "model": {"path": "/x"}, "licenses": "x"})"),
              HasSubstr("licenses"));
}

}  // namespace
}  // namespace pleiad::store
