#include "store/test_stores.h"

namespace pleiad::store {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class OllamaStoreTest : public StoresTest {
 protected:
  ModelEntry find(const std::string& name) { return Catalog(options_).find(name).value(); }
  void write_manifest(const std::string& text) {
    write(root_ / "ollama/manifests/registry.ollama.ai/library/x/latest", text);
  }
};

TEST_F(OllamaStoreTest, LayersBecomeTheRecipe) {
  add_ollama("registry.ollama.ai/library/gemma4/e2b",
             {add_model_layer(), add_layer("system", "Be brief."), add_layer("template", "{{ . }}"),
              add_layer("license", "Apache"), add_layer("license", "Terms"),
              add_layer("params", R"({"temperature": 1, "stop": ["<a>", "<b>"], "num_gpu": 3})"),
              add_layer("messages", R"([{"role": "user", "content": "Hi"}])")});
  const ModelEntry entry = find("gemma4:e2b");
  EXPECT_EQ(entry.problem, "");
  EXPECT_EQ(entry.recipe.system, "Be brief.");
  EXPECT_THAT(entry.recipe.licenses, ElementsAre("Apache", "Terms"));
  const std::vector<std::pair<std::string, Json>> expected = {
      {"temperature", 1}, {"stop", "<a>"}, {"stop", "<b>"}};
  EXPECT_EQ(entry.recipe.parameters, expected);
  EXPECT_THAT(entry.warnings, ElementsAre(HasSubstr("num_gpu")));
  EXPECT_EQ(entry.recipe.messages[0]["content"], "Hi");
}

TEST_F(OllamaStoreTest, TheDigestIsThatOfTheManifest) {
  add_ollama("registry.ollama.ai/library/x/latest", {add_model_layer()});
  EXPECT_EQ(find("x").digest,
            sha256_hex(read(root_ / "ollama/manifests/registry.ollama.ai/library/x/latest")));
}

TEST_F(OllamaStoreTest, ModelsOfOtherHostsAndPeopleKeepTheirNames) {
  add_ollama("registry.ollama.ai/someone/x/latest", {add_model_layer()});
  add_ollama("hf.co/org/repo/Q4_0", {add_model_layer()});
  EXPECT_EQ(find("someone/x").name, "someone/x:latest");
  EXPECT_EQ(find("hf.co/org/repo:Q4_0").name, "hf.co/org/repo:Q4_0");
}

TEST_F(OllamaStoreTest, AnotherFamilyIsListedAndCannotRun) {
  write(root_ / "llama.gguf", "GGUF is how this begins, and no more");
  add_ollama("registry.ollama.ai/library/llama3/latest", {add_model_layer(root_ / "llama.gguf")});
  EXPECT_NE(find("llama3").problem, "");
  EXPECT_FALSE(find("llama3").details);
}

TEST_F(OllamaStoreTest, AMissingBlobIsNamed) {
  add_ollama("registry.ollama.ai/library/x/latest", {layer("model", std::string(64, 'a'), 7)});
  EXPECT_THAT(find("x").problem, HasSubstr("sha256-aaaa"));
  EXPECT_THAT(find("x").problem, HasSubstr("is missing"));
}

TEST_F(OllamaStoreTest, AdaptersTensorLayersAndRemoteModelsAreNotRun) {
  add_ollama("registry.ollama.ai/library/a/latest",
             {add_model_layer(), layer("adapter", std::string(64, 'a'), 1)});
  add_ollama("registry.ollama.ai/library/t/latest", {layer("tensor", std::string(64, 'a'), 1)});
  add_ollama("registry.ollama.ai/library/r/latest", {});
  EXPECT_THAT(find("a").problem, HasSubstr("adapter"));
  EXPECT_THAT(find("t").problem, HasSubstr("tensor by tensor"));
  EXPECT_THAT(find("r").problem, HasSubstr("no model file"));
}

TEST_F(OllamaStoreTest, DigestsThatLeadOutOfTheStoreAreRefused) {
  write(root_ / "ollama/secret", "secret");
  for (const char* digest :
       {"sha256:../secret", "sha256-../../secret", "../secret", "", "sha256:/etc/passwd"}) {
    for (const char* kind : {"model", "system", "license", "params"}) {
      add_ollama("registry.ollama.ai/library/x/latest",
                 {add_model_layer(),
                  Json{{"mediaType", "application/vnd.ollama.image." + std::string(kind)},
                       {"digest", digest},
                       {"size", 6}}});
      const ModelEntry entry = find("x");
      EXPECT_THAT(entry.problem, HasSubstr("digest")) << kind << " " << digest;
      EXPECT_EQ(entry.recipe.system, "");
    }
  }
}

TEST_F(OllamaStoreTest, DamagedManifestsAreListedWithWhatIsWrong) {
  for (const std::string& text :
       {std::string(), std::string("{"), std::string("[]"), std::string("null"),
        std::string(R"({"layers": 7})"), std::string(R"({"layers": [7]})"),
        std::string(R"({"layers": [{}]})"), std::string(R"({"layers": [{"mediaType": 1}]})"),
        std::string(1000, '['), std::string("\xff\xfe\0", 3), std::string(5 << 20, ' '),
        std::string(R"({"layers": [{"mediaType": "application/vnd.ollama.image.model"}]})")}) {
    write_manifest(text);
    const auto entries = Catalog(options_).list();
    ASSERT_EQ(entries.size(), 2) << text.substr(0, 80);
    EXPECT_THAT(find("x").problem, HasSubstr("x/latest")) << text.substr(0, 80);
  }
}

TEST_F(OllamaStoreTest, ATextBlobThatIsNoFileOrTooLargeIsAProblem) {
  const fs::path blobs = root_ / "ollama/blobs";
  fs::create_directories(blobs / ("sha256-" + std::string(64, 'b')));
  write(blobs / ("sha256-" + std::string(64, 'c')), std::string(2 << 20, 'x'));
  for (const char digit : {'b', 'c'}) {
    add_ollama("registry.ollama.ai/library/x/latest",
               {add_model_layer(), layer("system", std::string(64, digit), 1)});
    EXPECT_THAT(find("x").problem, HasSubstr("sha256-")) << digit;
  }
}

TEST_F(OllamaStoreTest, StrangeFilesAmongTheManifestsAreLeftOut) {
  add_ollama("registry.ollama.ai/library/x/latest", {add_model_layer()});
  write(root_ / "ollama/manifests/.DS_Store", "x");
  write(root_ / "ollama/manifests/registry.ollama.ai/library/x/.DS_Store", "x");
  write(root_ / "ollama/manifests/registry.ollama.ai/stray", "x");
  options_.demo.clear();
  EXPECT_THAT(names(Catalog(options_).list()), ElementsAre("x:latest"));
}

}  // namespace
}  // namespace pleiad::store
