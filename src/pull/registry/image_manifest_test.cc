#include "pull/registry/image_manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.h"

namespace pleiad::pull {
namespace {

using ::testing::HasSubstr;

const std::string kHex(64, 'a');

Json layer_of(const std::string& type, std::uint64_t size = 1) {
  return {{"mediaType", type}, {"digest", "sha256:" + kHex}, {"size", size}};
}

Json image_of(const Json& layers) {
  return {{"schemaVersion", 2},
          {"mediaType", kDockerManifest},
          {"config", layer_of("application/vnd.docker.container.image.v1+json")},
          {"layers", layers}};
}

std::string why_not(const Json& manifest) {
  const auto read = parse_image_manifest(to_text(manifest));
  return read ? "read" : read.message();
}

TEST(ImageManifest, HasLayersAndAConfig) {
  Json layer = layer_of("application/vnd.ollama.image.model; x=y", 7162394016);
  layer["annotations"] = {{"org.opencontainers.image.title", "model.gguf"}};
  const auto read = parse_image_manifest(to_text(image_of({layer, layer_of("b")})));
  ASSERT_TRUE(read.ok()) << read.message();
  const ImageManifest& manifest = read.value();
  EXPECT_FALSE(manifest.only);
  ASSERT_TRUE(manifest.config);
  ASSERT_EQ(manifest.layers.size(), 2);
  EXPECT_EQ(manifest.layers[0].media_type, "application/vnd.ollama.image.model");
  EXPECT_EQ(manifest.layers[0].hex, kHex);
  EXPECT_EQ(manifest.layers[0].size, 7162394016);
  EXPECT_EQ(manifest.layers[0].title, "model.gguf");
}

TEST(ImageManifest, OfOciNeedsNoTypeAndOfOldModelsNoConfig) {
  Json oci = image_of(Json::array());
  oci["mediaType"] = kOciManifest;
  EXPECT_EQ(why_not(oci), "read");
  oci.erase("mediaType");
  EXPECT_EQ(why_not(oci), "read");
  oci["config"] = {{"mediaType", ""}, {"digest", ""}, {"size", 0}};
  const auto read = parse_image_manifest(to_text(oci));
  ASSERT_TRUE(read.ok());
  EXPECT_FALSE(read.value().config);
}

TEST(ImageManifest, AnIndexOfOneLeadsToIt) {
  Json index = {{"schemaVersion", 2}, {"mediaType", kOciIndex}, {"manifests", Json::array()}};
  EXPECT_THAT(why_not(index), HasSubstr("expected a list of 1 to"));
  Json entry = layer_of(std::string(kOciManifest), 500);
  entry["platform"] = {{"os", "linux"}, {"architecture", "amd64"}};
  Json attestation = entry;
  attestation["annotations"] = {{"vnd.docker.reference.type", "attestation-manifest"}};
  index["manifests"] = Json::array({attestation});
  EXPECT_THAT(why_not(index), HasSubstr("index without a manifest"));
  index["manifests"] = {attestation, entry};
  const auto read = parse_image_manifest(to_text(index));
  ASSERT_TRUE(read.ok()) << read.message();
  ASSERT_TRUE(read.value().only);
  EXPECT_EQ(read.value().only->size, 500);
  index["manifests"] = {entry, entry};
  EXPECT_THAT(why_not(index), HasSubstr("index of several images (linux/amd64, linux/amd64)"));
  index.erase("mediaType");
  EXPECT_THAT(why_not(index), HasSubstr("index of several images")) << "known by its list";
  entry["size"] = kLongestManifest + 1;
  index["manifests"] = Json::array({entry});
  EXPECT_THAT(why_not(index), HasSubstr("4.2 MB at most"));
}

TEST(ImageManifest, WhatIsWrongIsNamed) {
  const auto with = [](const char* key, const Json& value) {
    Json layer = layer_of("a");
    layer[key] = value;
    return why_not(image_of({layer_of("a"), layer}));
  };
  EXPECT_EQ(with("size", 0), "read");
  for (const char* digest : {"", "sha256:", "md5:abc", "sha512:00", "../../etc/passwd"}) {
    EXPECT_THAT(with("digest", digest), HasSubstr("layers[1]: digest: expected sha256:")) << digest;
  }
  EXPECT_THAT(with("digest", "sha256:../" + std::string(61, 'a')), HasSubstr("layers[1]: digest"));
  EXPECT_THAT(with("size", -1), HasSubstr("layers[1].size"));
  EXPECT_THAT(with("size", 1.5), HasSubstr("layers[1].size"));
  EXPECT_THAT(with("size", std::uint64_t{1} << 62U), HasSubstr("layers[1].size"));
  EXPECT_THAT(with("size", "1"), HasSubstr("layers[1].size"));
  EXPECT_THAT(with("mediaType", 1), HasSubstr("layers[1].mediaType"));
  for (const char* no_type : {"; charset=utf-8", " a/b", ";", " "}) {
    EXPECT_THAT(
        with("mediaType", no_type),
        ::testing::AllOf(HasSubstr("layers[1].mediaType: expected a type"), HasSubstr(no_type)));
  }
  EXPECT_THAT(why_not(image_of({1})), HasSubstr("layers[0]: expected an object"));
  EXPECT_THAT(why_not(image_of({{"a", 1}})), HasSubstr("layers: expected a list"));
  EXPECT_THAT(why_not(image_of(Json::array_t(4097, layer_of("a")))), HasSubstr("at most 4096"));
  Json image = image_of(Json::array());
  image["schemaVersion"] = 1;
  EXPECT_THAT(why_not(image), HasSubstr("schemaVersion: expected 2, found 1"));
  image.erase("schemaVersion");
  EXPECT_THAT(why_not(image), HasSubstr("found none"));
  image = image_of(Json::array());
  image["mediaType"] = "text/html";
  EXPECT_THAT(why_not(image), HasSubstr("'text/html' is not a manifest"));
  EXPECT_THAT(why_not(Json::array()), HasSubstr("is not an object"));
  EXPECT_THAT(parse_image_manifest("<html>").message(), HasSubstr("not JSON"));
  EXPECT_THAT(parse_image_manifest(std::string(kLongestManifest + 1, ' ')).message(),
              HasSubstr("4.2 MB at most"));
}

}  // namespace
}  // namespace pleiad::pull
