#include "store/test_stores.h"

namespace pleiad::store {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

using CatalogFindTest = StoresTest;

TEST_F(CatalogFindTest, TheTagIsLatestUnlessItIsSaid) {
  add_ollama("registry.ollama.ai/library/gemma4/latest", {add_model_layer()});
  add_ollama("registry.ollama.ai/library/gemma4/e2b", {add_model_layer()});
  const Catalog catalog(options_);
  EXPECT_EQ(catalog.find("gemma4").value().name, "gemma4:latest");
  EXPECT_EQ(catalog.find("gemma4:e2b").value().name, "gemma4:e2b");
  EXPECT_EQ(catalog.find("registry.ollama.ai/library/gemma4:e2b").value().name, "gemma4:e2b");
  EXPECT_EQ(catalog.find("library/GEMMA4:E2B").value().name, "gemma4:e2b");
}

TEST_F(CatalogFindTest, TheDemoModelIsAtHand) {
  const Catalog catalog(options_);
  EXPECT_EQ(catalog.find("demo").value().path, kDemoFile);
  EXPECT_EQ(catalog.find("demo:latest").value().source, Source::demo);
  EXPECT_TRUE(catalog.find("demo").value().details);
}

TEST_F(CatalogFindTest, PathsAreOpenedWhereTheyMayBe) {
  link(kDemoFile, root_ / "home/mine.gguf");
  Catalog catalog(options_);
  const auto absolute = catalog.find((root_ / "home/mine.gguf").string());
  ASSERT_TRUE(absolute.ok());
  EXPECT_EQ(absolute.value().source, Source::path);
  EXPECT_EQ(absolute.value().problem, "");
  EXPECT_EQ(catalog.find("~/mine.gguf").value().path, root_ / "home/mine.gguf");
  const auto missing = catalog.find((root_ / "none.gguf").string());
  ASSERT_FALSE(missing.ok());
  EXPECT_THAT(missing.message(), HasSubstr("no such file"));
}

TEST_F(CatalogFindTest, PathsOfRequestsFromElsewhereAreNotEvenLookedFor) {
  options_.allow_paths = false;
  const Catalog catalog(options_);
  const std::string there = catalog.find(kDemoFile.string()).message();
  const std::string not_there = catalog.find("/no/such/file.gguf").message();
  EXPECT_THAT(there, HasSubstr("paths cannot be given"));
  EXPECT_THAT(not_there, HasSubstr("paths cannot be given"));
  EXPECT_THAT(catalog.find("nothing").message(), Not(HasSubstr(root_.path().string())));
}

TEST_F(CatalogFindTest, NoProblemTellsOthersWhereFilesAre) {
  write(root_ / "folder/below/cut.gguf", "GGUF");
  write(root_ / "own/manifests/library/torn/latest", "{");
  write(root_ / "ollama/manifests/registry.ollama.ai/library/odd/latest", "{");
  for (const bool local : {true, false}) {
    options_.allow_paths = local;
    const Catalog catalog(options_);
    EXPECT_EQ(catalog.allows_paths(), local);
    std::string problems = catalog.find("cut").value().problem;
    EXPECT_THAT(problems, HasSubstr("cut.gguf"));
    for (const ModelEntry& entry : catalog.list()) problems += entry.problem;
    EXPECT_EQ(problems.find(root_.path().string()) == std::string::npos, !local) << problems;
  }
}

TEST_F(CatalogFindTest, AFailureNamesWhatIsCloseOrWhereItWasLookedFor) {
  add_ollama("registry.ollama.ai/library/gemma4/e2b", {add_model_layer()});
  const Catalog catalog(options_);
  EXPECT_THAT(catalog.find("gemma4").message(), HasSubstr("did you mean gemma4:e2b?"));
  EXPECT_THAT(catalog.find("gema4:e2b").message(), HasSubstr("did you mean gemma4:e2b?"));
  EXPECT_THAT(catalog.find("llama3").message(), HasSubstr((root_ / "ollama").string()));
}

TEST_F(CatalogFindTest, HostileNamesFindNothing) {
  write(root_ / "ollama/secret", "{}");
  write(root_ / "own/secret", "{}");
  options_.allow_paths = false;
  const Catalog catalog(options_);
  for (const std::string& name :
       {std::string(), std::string("../secret"), std::string("a/../../secret"),
        std::string("..:.."), std::string("a:../../../secret"), std::string("a/b/c/d:e"),
        std::string("a\0b", 3), std::string("a\nb"), std::string("/etc/passwd"),
        std::string(100'000, 'a'), std::string(1000, '/'), std::string("hf.co/../secret"),
        std::string("~/x"), std::string("~"), std::string("."), std::string("\xff\xfe")}) {
    const auto found = catalog.find(name);
    ASSERT_FALSE(found.ok()) << name;
    EXPECT_LT(found.message().size(), 1000) << name;
  }
}

}  // namespace
}  // namespace pleiad::store
