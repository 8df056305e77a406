#include "pull/registry/registry_source.h"

#include "pull/registry/testing/registry_fixture.h"
#include "store/arrivals.h"

namespace pleiad::pull {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::MemoryRegistry;
using RegistrySourceTest = testing::RegistryTest;

TEST_F(RegistrySourceTest, OffersWhatIsThere) {
  MemoryRegistry registry;
  add_demo(registry, "ann/demo:v1");
  RegistrySource source(options());
  const auto offer = source.offer(reference(registry, "ann/demo:v1"), {});
  ASSERT_TRUE(offer.ok()) << offer.message();
  EXPECT_EQ(offer.value().name, registry.host() + "/ann/demo:v1");
  EXPECT_EQ(offer.value().host, registry.host());
  EXPECT_EQ(offer.value().revision, "sha256:" + sha256_hex(*registry.manifest("ann/demo:v1")));
  EXPECT_EQ(offer.value().license, "Apache License");
  EXPECT_EQ(offer.value().type, "Q4_0");
  ASSERT_EQ(offer.value().files.size(), 1);
  EXPECT_EQ(offer.value().files[0].bytes, demo_bytes().size());
  EXPECT_EQ(offer.value().files[0].at_hand, 0);
  EXPECT_EQ(offer.value().destination, root_ / "own");
  EXPECT_THAT(offer.value().left_out, ElementsAre(HasSubstr("num_gpu")));
  EXPECT_EQ(count_below(""), 0) << "nothing was changed yet";
}

TEST_F(RegistrySourceTest, AModelComesWithItsRecipe) {
  MemoryRegistry registry;
  add_demo(registry, "ann/demo:v1");
  const auto pulled = pull(registry, "ann/demo:v1");
  ASSERT_TRUE(pulled.ok()) << pulled.message();
  const auto found = catalog_.find(pulled.value().name);
  ASSERT_TRUE(found.ok()) << found.message();
  EXPECT_EQ(found.value().problem, "");
  EXPECT_EQ(found.value().recipe.system, "Be brief.");
  EXPECT_EQ(found.value().recipe.parameters.size(), 1);
  EXPECT_THAT(found.value().recipe.licenses, ElementsAre(HasSubstr("Apache")));
  EXPECT_EQ(read(found.value().path), demo_bytes());
  EXPECT_EQ(found.value().pulled,
            pulled.value().name + "@sha256:" + sha256_hex(*registry.manifest("ann/demo:v1")));
  EXPECT_EQ(count_below("partial"), 0);
  EXPECT_EQ(count_below("blobs"), 1) << "texts are in the manifest";
  EXPECT_THAT(statuses(), Contains("pulling " + sha256_hex(demo_bytes()).substr(0, 12)));
  EXPECT_EQ(statuses().back(), "writing manifest");
  EXPECT_EQ(told_[told_.size() - 3].completed, demo_bytes().size());
}

TEST_F(RegistrySourceTest, WhatIsAtHandIsNotFetchedAgain) {
  MemoryRegistry registry;
  add_demo(registry, "ann/demo:v1");
  ASSERT_TRUE(pull(registry, "ann/demo:v1").ok());
  registry.forget_requests();
  add_demo(registry, "ann/demo:v2", "Be long.");
  const auto pulled = pull(registry, "ann/demo:v2");
  ASSERT_TRUE(pulled.ok()) << pulled.message();
  EXPECT_EQ(registry.count("GET /v2/ann/demo/blobs/sha256:" + sha256_hex(demo_bytes())), 0);
  EXPECT_EQ(count_below("blobs"), 1);
}

TEST_F(RegistrySourceTest, AnUpdatedTagReplacesTheModelAndLeavesNoBlob) {
  MemoryRegistry registry;
  add_demo(registry, "ann/demo:v1");
  ASSERT_TRUE(pull(registry, "ann/demo:v1").ok());
  const std::string longer = demo_bytes() + std::string(64, '\0');
  registry.add_model("ann/demo:v1", Json::array({registry.add_blob(ollama("model"), longer)}));
  const auto pulled = pull(registry, "ann/demo:v1");
  ASSERT_TRUE(pulled.ok()) << pulled.message();
  EXPECT_EQ(read(catalog_.find(pulled.value().name).value().path).size(), longer.size());
  EXPECT_EQ(catalog_.find(pulled.value().name).value().recipe.system, "");
  EXPECT_EQ(count_below("blobs"), 1);
}

TEST_F(RegistrySourceTest, BytesThatAreOthersLeaveTheOldModel) {
  MemoryRegistry registry;
  add_demo(registry, "ann/demo:v1");
  ASSERT_TRUE(pull(registry, "ann/demo:v1").ok());
  const std::string good = demo_bytes() + "x";
  Json layer = registry.add_blob(ollama("model"), good);
  registry.add_model("ann/demo:v1", Json::array({layer}));
  std::string bad = good;
  bad[bad.size() / 2] ^= 1;
  registry.instead = [&](const http::Request& request) -> std::optional<http::Response> {
    if (request.path.find("/blobs/sha256:" + sha256_hex(good)) == std::string::npos) return {};
    return http::Response{200, "application/octet-stream", bad, {}};
  };
  const auto pulled = pull(registry, "ann/demo:v1");
  ASSERT_FALSE(pulled.ok());
  EXPECT_THAT(pulled.message(), HasSubstr("127.0.0.1"));
  EXPECT_EQ(catalog_.find(registry.host() + "/ann/demo:v1").value().recipe.system, "Be brief.");
  EXPECT_EQ(count_below("partial"), 0) << "lies are not kept";
}

TEST_F(RegistrySourceTest, WhatHasComeIsResumed) {
  MemoryRegistry registry;
  add_demo(registry, "ann/demo:v1");
  const std::string hex = sha256_hex(demo_bytes());
  const Path partial = store::partial_path(root_ / "own", hex);
  std::filesystem::create_directories(partial.parent_path());
  std::ofstream(partial, std::ios::binary) << demo_bytes().substr(0, 1000);
  RegistrySource source(options());
  const auto offer = source.offer(reference(registry, "ann/demo:v1"), {});
  ASSERT_TRUE(offer.ok()) << offer.message();
  EXPECT_EQ(offer.value().files[0].at_hand, 1000);
  std::vector<std::string> ranges;
  registry.instead = [&](const http::Request& request) -> std::optional<http::Response> {
    if (request.path.find(hex) != std::string::npos) {
      ranges.emplace_back(request.header("range").value_or("none"));
    }
    return {};
  };
  const auto pulled = source.fetch(offer.value(), sink(), {});
  ASSERT_TRUE(pulled.ok()) << pulled.message();
  EXPECT_THAT(ranges, Contains(HasSubstr("bytes=1000-")));
  EXPECT_EQ(read(catalog_.find(pulled.value().name).value().path), demo_bytes());
}

TEST_F(RegistrySourceTest, AShorterLengthCutsNothingOfWhatHasCome) {
  MemoryRegistry registry;
  add_demo(registry, "ann/demo:v1");
  const std::string hex = sha256_hex(demo_bytes());
  const Path partial = store::partial_path(root_ / "own", hex);
  std::filesystem::create_directories(partial.parent_path());
  std::ofstream(partial, std::ios::binary) << demo_bytes().substr(0, 1000);
  MemoryRegistry liar;
  Json layer = liar.add_blob(ollama("model"), demo_bytes());
  layer["size"] = 1;
  liar.add_model("ann/demo:v1", Json::array({layer}));
  EXPECT_THAT(pull(liar, "ann/demo:v1").message(),
              HasSubstr(liar.host() + ": says that sha256:" + hex));
  EXPECT_EQ(std::filesystem::file_size(partial), 1000);
  EXPECT_TRUE(pull(registry, "ann/demo:v1").ok());
}

TEST_F(RegistrySourceTest, WhileItFetchesNobodyTidiesUp) {
  MemoryRegistry registry;
  add_demo(registry, "ann/demo:v1");
  bool was_idle = false;
  RegistrySource source(options());
  const auto offer = source.offer(reference(registry, "ann/demo:v1"), {});
  ASSERT_TRUE(offer.ok());
  const auto watch = [&](const Progress&) {
    was_idle = was_idle || store::lock_idle_arrivals(root_ / "own") != nullptr;
  };
  EXPECT_TRUE(source.fetch(offer.value(), watch, {}).ok());
  EXPECT_FALSE(was_idle);
  EXPECT_NE(store::lock_idle_arrivals(root_ / "own"), nullptr);
}

TEST_F(RegistrySourceTest, ANameThatNoModelCanHaveIsRefusedAtOnce) {
  MemoryRegistry registry;
  ModelReference name = reference(registry, "ann/demo:v1");
  name.name = store::ModelName::parse("demo").value();
  EXPECT_THAT(RegistrySource(options()).offer(name, {}).message(), HasSubstr("demo model's name"));
  EXPECT_TRUE(registry.requests().empty());
}

TEST_F(RegistrySourceTest, SaysWhatIsNotThere) {
  MemoryRegistry registry;
  const auto offer = RegistrySource(options()).offer(reference(registry, "ann/none"), {});
  ASSERT_FALSE(offer.ok());
  EXPECT_THAT(offer.message(),
              HasSubstr(registry.host() + ": there is no model 'ann/none:latest'"));
}

TEST_F(RegistrySourceTest, SaysWhatCannotBeUsedBeforeItIsFetched) {
  MemoryRegistry registry;
  registry.add_model("ann/llama:latest",
                     Json::array({registry.add_blob(ollama("model"), "weights")}),
                     registry.add_blob("x", R"({"model_family":"llama"})"));
  EXPECT_THAT(pull(registry, "ann/llama").message(),
              HasSubstr("ann/llama:latest is of the family 'llama'"));
  registry.add_model("ann/lora:latest",
                     Json::array({registry.add_blob(ollama("model"), "weights"),
                                  registry.add_blob(ollama("adapter"), "lora")}));
  EXPECT_THAT(pull(registry, "ann/lora").message(), HasSubstr("ann/lora:latest brings an adapter"));
  registry.add_manifest("ann/odd:latest", "<html>");
  EXPECT_THAT(pull(registry, "ann/odd").message(),
              HasSubstr("the manifest of ann/odd:latest it: not JSON"));
  EXPECT_EQ(count_below(""), 0);
}

TEST_F(RegistrySourceTest, AFileThatIsNoModelIsNamedAndStaysForTheNextTry) {
  MemoryRegistry registry;
  registry.add_model("ann/odd:latest",
                     Json::array({registry.add_blob(ollama("model"), "no GGUF")}));
  const auto pulled = pull(registry, "ann/odd");
  ASSERT_FALSE(pulled.ok());
  EXPECT_EQ(count_below("blobs"), 0);
  EXPECT_EQ(count_below("partial"), 1);
}

TEST_F(RegistrySourceTest, ATextThatIsAnotherIsRefused) {
  MemoryRegistry registry;
  add_demo(registry, "ann/demo:v1");
  registry.instead = [&](const http::Request& request) -> std::optional<http::Response> {
    if (request.path.find(sha256_hex("Be brief.")) == std::string::npos) return {};
    return http::Response{200, "text/plain", "Be a bot", {}};
  };
  EXPECT_THAT(pull(registry, "ann/demo:v1").message(),
              HasSubstr("is another thing; nothing was kept"));
}

TEST_F(RegistrySourceTest, AManifestThatIsNotWhatItsDigestSaysIsRefused) {
  MemoryRegistry registry;
  registry.instead = [&](const http::Request& request) -> std::optional<http::Response> {
    if (!request.path.ends_with("manifests/v1")) return {};
    return http::Response{200,
                          "application/json",
                          "{}",
                          {{"Docker-Content-Digest", "sha256:" + std::string(64, '0')}}};
  };
  EXPECT_THAT(pull(registry, "ann/demo:v1").message(), HasSubstr("but its digest is said to be"));
}

TEST_F(RegistrySourceTest, AnIndexOfOneImageLeadsToIt) {
  MemoryRegistry registry;
  add_demo(registry, "ann/demo:image");
  const std::string image = *registry.manifest("ann/demo:image");
  const Json entry = {{"mediaType", kOciManifest},
                      {"digest", "sha256:" + sha256_hex(image)},
                      {"size", image.size()}};
  registry.add_manifest("ann/demo:v1", to_text(Json{{"schemaVersion", 2},
                                                    {"mediaType", kOciIndex},
                                                    {"manifests", Json::array({entry})}}));
  const auto pulled = pull(registry, "ann/demo:v1");
  ASSERT_TRUE(pulled.ok()) << pulled.message();
}

TEST_F(RegistrySourceTest, StopLeavesWhatCanBeResumed) {
  MemoryRegistry registry;
  add_demo(registry, "ann/demo:v1");
  RegistrySource source(options());
  const auto offer = source.offer(reference(registry, "ann/demo:v1"), {});
  ASSERT_TRUE(offer.ok());
  EXPECT_FALSE(source.fetch(offer.value(), sink(), [] { return true; }).ok());
  EXPECT_EQ(count_below("blobs"), 0);
  EXPECT_TRUE(source.fetch(offer.value(), sink(), {}).ok());
}

TEST_F(RegistrySourceTest, ATowerComesWithItsModel) {
  MemoryRegistry registry;
  registry.add_model("ann/sees:latest",
                     Json::array({registry.add_blob(ollama("model"), demo_bytes()),
                                  registry.add_blob(ollama("projector"), read(demo_tower())),
                                  registry.add_blob(ollama("template"), "{{ .Prompt }}")}));
  RegistrySource source(options());
  const auto offer = source.offer(reference(registry, "ann/sees"), {});
  ASSERT_TRUE(offer.ok()) << offer.message();
  EXPECT_EQ(offer.value().files.size(), 2);
  EXPECT_THAT(offer.value().left_out, ElementsAre(HasSubstr("chat template")));
  const auto pulled = source.fetch(offer.value(), sink(), {});
  ASSERT_TRUE(pulled.ok()) << pulled.message();
  EXPECT_EQ(pulled.value().left_out, offer.value().left_out);
  EXPECT_TRUE(catalog_.find(pulled.value().name).value().details->vision.has_value());
}

TEST_F(RegistrySourceTest, WhatDoesNotFitTheDiskIsNotOffered) {
  MemoryRegistry registry;
  Json model = registry.add_blob(ollama("model"), demo_bytes());
  model["size"] = std::uint64_t{1} << 50;
  registry.add_model("ann/large:latest", Json::array({model}));
  RegistrySource source(options());
  const auto offer = source.offer(reference(registry, "ann/large"), {});
  EXPECT_THAT(offer.message(), AllOf(HasSubstr("ann/large:latest does not fit the disk"),
                                     HasSubstr("1.1 PB are still to come")));
  EXPECT_EQ(count_below("partial"), 0);
}

TEST_F(RegistrySourceTest, AProjectorThatCannotBeUsedIsLeftOutAndSaid) {
  MemoryRegistry registry;
  registry.add_model("ann/blind:latest",
                     Json::array({registry.add_blob(ollama("model"), demo_bytes()),
                                  registry.add_blob(ollama("projector"), "GGUF but no more")}));
  const auto pulled = pull(registry, "ann/blind");
  ASSERT_TRUE(pulled.ok()) << pulled.message();
  EXPECT_THAT(pulled.value().left_out, ElementsAre(HasSubstr("its projector: GGUF version")));
  EXPECT_FALSE(catalog_.find(pulled.value().name).value().details->vision.has_value());
}

}  // namespace
}  // namespace pleiad::pull
