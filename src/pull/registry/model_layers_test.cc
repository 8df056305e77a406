#include "pull/registry/model_layers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.h"

namespace pleiad::pull {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Layers of Ollama's types; a name with a slash is a whole type.
ImageManifest image_with(const std::vector<std::string>& kinds) {
  ImageManifest manifest;
  for (const std::string& kind : kinds) {
    Descriptor layer;
    layer.media_type =
        kind.find('/') == std::string::npos ? "application/vnd.ollama.image." + kind : kind;
    layer.hex = std::string(64, static_cast<char>('a' + manifest.layers.size() % 6));
    layer.size = 1000;
    manifest.layers.push_back(std::move(layer));
  }
  return manifest;
}

std::string why_unusable(const std::vector<std::string>& kinds) {
  const auto sorted = sort_layers(image_with(kinds));
  return sorted ? "usable" : sorted.message();
}

TEST(ModelLayers, OfOllamaAreToldApart) {
  const auto sorted = sort_layers(image_with(
      {"model", "projector", "template", "license", "license", "params", "system", "messages"}));
  ASSERT_TRUE(sorted.ok()) << sorted.message();
  EXPECT_EQ(sorted.value().model.hex[0], 'a');
  ASSERT_TRUE(sorted.value().projector);
  EXPECT_EQ(sorted.value().projector->hex[0], 'b');
  std::vector<TextLayer::Kind> kinds;
  for (const TextLayer& text : sorted.value().texts) kinds.push_back(text.kind);
  using enum TextLayer::Kind;
  EXPECT_THAT(kinds, ElementsAre(license, license, params, system, messages));
  EXPECT_THAT(sorted.value().left_out, ElementsAre(HasSubstr("chat template: Gemma 4's own")));
}

TEST(ModelLayers, OfDockerAreKnown) {
  const auto sorted = sort_layers(
      image_with({"application/vnd.docker.ai.license", "application/vnd.docker.ai.gguf.v3",
                  "application/vnd.docker.ai.mmproj"}));
  ASSERT_TRUE(sorted.ok()) << sorted.message();
  EXPECT_EQ(sorted.value().model.hex[0], 'b');
  EXPECT_TRUE(sorted.value().projector);
  EXPECT_EQ(sorted.value().texts.size(), 1);
}

TEST(ModelLayers, WhatIsNotUsedIsNamed) {
  const auto sorted = sort_layers(image_with({"model", "draft", "something", "application/x-odd"}));
  ASSERT_TRUE(sorted.ok());
  EXPECT_THAT(sorted.value().left_out,
              ElementsAre(HasSubstr("draft model"),
                          HasSubstr("vnd.ollama.image.something (layer cccccccccccc"),
                          HasSubstr("application/x-odd")));
  std::vector<std::string> many(20, "application/x-odd");
  many.emplace_back("model");
  EXPECT_THAT(sort_layers(image_with(many)).value().left_out, Contains(HasSubstr("4 more layers")));
}

TEST(ModelLayers, AModelThatCannotBeUsedIsRefusedBeforeItIsFetched) {
  EXPECT_THAT(why_unusable({"model", "model"}), HasSubstr("several files"));
  EXPECT_THAT(why_unusable({"model", "projector", "projector"}), HasSubstr("several projectors"));
  EXPECT_THAT(why_unusable({"model", "adapter"}), HasSubstr("adapter (LoRA)"));
  EXPECT_THAT(why_unusable({"tensor", "tensor", "json"}), HasSubstr("tensor by tensor (2)"));
  EXPECT_THAT(why_unusable({"license"}), HasSubstr("holds no model file"));
  EXPECT_THAT(why_unusable({"application/vnd.docker.image.rootfs.diff.tar.gzip"}),
              HasSubstr("holds no model file; its layers are application/vnd.docker.image.rootfs"));
  EXPECT_THAT(why_unusable({}), HasSubstr("holds no model file"));
}

TEST(ModelLayers, TextsAreBounded) {
  ImageManifest manifest = image_with({"model", "license"});
  manifest.layers[1].size = kLongestTextLayer + 1;
  EXPECT_THAT(sort_layers(manifest).message(), HasSubstr("1.0 MB at most"));
  std::vector<std::string> many(65, "license");
  many.emplace_back("model");
  EXPECT_THAT(why_unusable(many), HasSubstr("more than 64"));
  manifest = image_with({"model"});
  manifest.layers[0].size = 0;
  EXPECT_THAT(sort_layers(manifest).message(), HasSubstr("empty layer"));
}

TEST(ImageConfig, SaysWhatTheWeightsAre) {
  const ImageConfig ollama = parse_image_config(
      R"({"model_format":"gguf","model_family":"gemma4","model_type":"5.1B","file_type":"Q4_K_M"})");
  EXPECT_EQ(ollama.format, "gguf");
  EXPECT_EQ(ollama.family, "gemma4");
  EXPECT_EQ(ollama.size, "5.1B");
  EXPECT_EQ(ollama.type, "Q4_K_M");
  EXPECT_EQ(problem_of_config(ollama), "");
  const ImageConfig docker = parse_image_config(
      R"({"config":{"format":"gguf","architecture":"gemma4","quantization":"Q4_0","parameters":"5 B"}})");
  EXPECT_EQ(docker.family, "gemma4");
  EXPECT_EQ(docker.type, "Q4_0");
  for (const char* text : {"", "[]", "{", R"({"model_format":1,"config":[]})"}) {
    EXPECT_EQ(problem_of_config(parse_image_config(text)), "") << text;
  }
}

TEST(ImageConfig, TellsModelsThatWeDoNotRun) {
  const auto problem = [](const char* text) { return problem_of_config(parse_image_config(text)); };
  EXPECT_THAT(problem(R"({"model_family":"llama"})"), HasSubstr("family 'llama'"));
  EXPECT_EQ(problem(R"({"model_family":"Gemma-4"})"), "");
  EXPECT_THAT(problem(R"({"model_family":"gemma3"})"), HasSubstr("Gemma 4 alone"));
  EXPECT_THAT(problem(R"({"model_format":"safetensors"})"), HasSubstr("expected gguf"));
  EXPECT_THAT(problem(R"({"remote_host":"https://ollama.com:443"})"),
              HasSubstr("runs at https://ollama.com"));
}

TEST(AddText, MakesARecipe) {
  store::Recipe recipe;
  std::vector<std::string> left_out;
  using enum TextLayer::Kind;
  EXPECT_TRUE(add_text(recipe, system, "Be brief.", left_out).ok());
  EXPECT_TRUE(add_text(recipe, license, "Apache", left_out).ok());
  EXPECT_TRUE(add_text(recipe, license, "Terms", left_out).ok());
  EXPECT_TRUE(
      add_text(recipe, params, R"({"top_k":64,"stop":["a","b"],"num_gpu":1})", left_out).ok());
  EXPECT_TRUE(
      add_text(recipe, messages, R"([{"role":"user","content":"Hi"},{"role":"tool"}])", left_out)
          .ok());
  EXPECT_EQ(recipe.system, "Be brief.");
  EXPECT_THAT(recipe.licenses, ElementsAre("Apache", "Terms"));
  EXPECT_EQ(recipe.parameters.size(), 3) << "each stop is one";
  EXPECT_EQ(recipe.messages.size(), 1);
  EXPECT_THAT(left_out,
              ElementsAre(HasSubstr("'num_gpu' is not known"), HasSubstr("messages[1].role")));
}

TEST(AddText, TextsThatAreNoneAreRefused) {
  store::Recipe recipe;
  std::vector<std::string> left_out;
  using enum TextLayer::Kind;
  EXPECT_THAT(add_text(recipe, params, "{", left_out).message(), HasSubstr("its parameters: "));
  EXPECT_THAT(add_text(recipe, messages, "x", left_out).message(), HasSubstr("its messages: "));
  EXPECT_THAT(add_text(recipe, system, "\xff", left_out).message(), HasSubstr("not valid UTF-8"));
  EXPECT_TRUE(add_text(recipe, params, "[]", left_out).ok());
  EXPECT_THAT(left_out, ElementsAre(HasSubstr("parameters: expected an object")));
  EXPECT_THAT(recipe.parameters, IsEmpty());
}

}  // namespace
}  // namespace pleiad::pull
