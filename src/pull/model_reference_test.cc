#include "pull/model_reference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pleiad::pull {
namespace {

using ::testing::HasSubstr;

ModelReference parsed(const std::string& text) {
  auto reference = ModelReference::parse(text);
  EXPECT_TRUE(reference) << text;
  return reference ? std::move(reference).value() : ModelReference();
}

std::string refused(std::string_view text) {
  const auto reference = ModelReference::parse(text);
  EXPECT_FALSE(reference) << text;
  return reference ? std::string() : reference.message();
}

TEST(ModelReference, ShortNamesAreOllamasRegistry) {
  const ModelReference plain = parsed("gemma4");
  EXPECT_EQ(plain.place, Place::registry);
  EXPECT_EQ(plain.name.path(), "registry.ollama.ai/library/gemma4/latest");
  EXPECT_EQ(plain.host(), "registry.ollama.ai");
  EXPECT_EQ(plain.text(), "gemma4:latest");
  EXPECT_EQ(parsed("gemma4:e2b").text(), "gemma4:e2b");
  EXPECT_EQ(parsed("someone/gemma4:E2B").name.path(), "registry.ollama.ai/someone/gemma4/E2B");
}

TEST(ModelReference, RegistriesOfOthersAreHostsWithOrWithoutAPort) {
  const ModelReference local = parsed("localhost:5000/me/demo:v1");
  EXPECT_EQ(local.place, Place::registry);
  EXPECT_EQ(local.host(), "localhost:5000");
  EXPECT_EQ(local.name.space, "me");
  EXPECT_EQ(local.name.model, "demo");
  EXPECT_EQ(local.name.tag, "v1");
  EXPECT_EQ(parsed("https://registry.example.com/me/demo").text(),
            "registry.example.com/me/demo:latest");
}

TEST(ModelReference, AHostAloneIsNoModel) {
  for (const char* text :
       {"localhost:5000", "192.168.0.7:5000", "Registry.Example.com:443", "https://localhost:5000",
        "https://registry.example.com/", "https://registry.example.com/demo"}) {
    EXPECT_THAT(refused(text), HasSubstr("expected HOST/USER/MODEL")) << text;
  }
  EXPECT_EQ(parsed("qwen2.5:7").name.tag, "7");
  EXPECT_EQ(parsed("gemma4:12").name.tag, "12");
  EXPECT_EQ(parsed("localhost:5000b").name.model, "localhost");
}

TEST(ModelReference, HuggingFaceHasThreeSpellings) {
  const ModelReference short_one = parsed("hf.co/google/gemma-4-E2B-it-GGUF:Q4_K_M");
  EXPECT_EQ(short_one.place, Place::hugging_face);
  EXPECT_EQ(short_one.repository, "google/gemma-4-E2B-it-GGUF");
  EXPECT_EQ(short_one.choice, "Q4_K_M");
  EXPECT_EQ(short_one.revision, "");
  EXPECT_EQ(short_one.host(), "huggingface.co");
  EXPECT_EQ(parsed("huggingface.co/google/gemma-4-E2B-it-GGUF:Q4_K_M"), short_one);
  EXPECT_EQ(parsed("HF:google/gemma-4-E2B-it-GGUF:Q4_K_M"), short_one);
  EXPECT_EQ(parsed("hf.co/google/gemma-4-E2B-it").choice, "");
}

TEST(ModelReference, RevisionsStandBeforeTheChoice) {
  const ModelReference reference = parsed("hf:a/b@refs/pr/3:sub/x-Q4_0.gguf");
  EXPECT_EQ(reference.repository, "a/b");
  EXPECT_EQ(reference.revision, "refs/pr/3");
  EXPECT_EQ(reference.choice, "sub/x-Q4_0.gguf");
  EXPECT_EQ(reference.text(), "hf:a/b@refs/pr/3:sub/x-Q4_0.gguf");
  EXPECT_EQ(parsed("hf:a/b@v1.0").revision, "v1.0");
  EXPECT_EQ(parsed("hf.co/a/b:x@2.gguf").choice, "x@2.gguf");
}

TEST(ModelReference, PagesOfABrowserAreUnderstood) {
  EXPECT_EQ(parsed("https://huggingface.co/a/b").text(), "hf.co/a/b");
  EXPECT_EQ(parsed("https://huggingface.co/a/b/tree/main").text(), "hf:a/b@main");
  EXPECT_EQ(parsed("https://huggingface.co/a/b/blob/main/x/y.gguf").text(), "hf:a/b@main:x/y.gguf");
  EXPECT_EQ(parsed("https://huggingface.co/a/b/resolve/v1/y.gguf?download=true").text(),
            "hf:a/b@v1:y.gguf");
  EXPECT_EQ(parsed("https://huggingface.co/a/b?library=gguf").text(), "hf.co/a/b");
  EXPECT_EQ(parsed("https://ollama.com/library/gemma4:e2b").text(), "gemma4:e2b");
  EXPECT_EQ(parsed("https://ollama.com/someone/gemma4").text(), "someone/gemma4:latest");
  EXPECT_EQ(parsed("https://huggingface.co/a/b/blob/refs%2Fpr%2F1/my%20x.gguf").revision,
            "refs/pr/1");
  for (const char* page : {"discussions/1", "blob/refs/pr/1/x.gguf", "tree/main/sub/%00",
                           "blob/main", "tree/", "blob/%zz/x.gguf", "tree/%4"}) {
    EXPECT_THAT(refused("https://huggingface.co/a/b/" + std::string(page)),
                HasSubstr("blob/REVISION/FILE"));
  }
}

TEST(ModelReference, NoPartOfANameIsDropped) {
  EXPECT_THAT(refused("hf.co/u/r/blob/main/x.gguf:Q8_0"), HasSubstr("says what is meant already"));
  EXPECT_THAT(refused("hf.co/u/r/tree/main@v1"), HasSubstr("says what is meant already"));
  EXPECT_THAT(refused("hf.co/u/r?x:Q8_0"), HasSubstr("is no repository"));
  refused("https://huggingface.co/a/b/blob/main/%2e%2e/x.gguf");
  refused("https://huggingface.co/a/b/tree/..%2F..");
  EXPECT_THAT(refused("https://ollama.com/u/m:x.gguf"), HasSubstr("would mean something else"));
  EXPECT_THAT(refused("https://ollama.com/hf.co/u/m"), HasSubstr("would mean something else"));
}

TEST(ModelReference, PathsAreKnownByTheirLook) {
  for (const char* text : {"/models/x", "./x", "../x", "~/x", "x.gguf", "a/b/x.gguf", "."}) {
    const ModelReference reference = parsed(text);
    EXPECT_EQ(reference.place, Place::path) << text;
    EXPECT_EQ(reference.path, text);
    EXPECT_EQ(reference.host(), "");
    EXPECT_EQ(reference.text(), text);
  }
  EXPECT_EQ(parsed("hf.co/a/b:x.gguf").place, Place::hugging_face);
}

TEST(ModelReference, WhatCouldLeaveAFolderIsRefused) {
  for (const char* text : {"hf:../b", "hf:a/..", "hf:a/b@../x", "hf:a/b@x/../y", "hf:a/b@.git",
                           "hf:a/b:../x.gguf", "hf:a/b:/etc/passwd", "hf:a/b:x/../../y.gguf",
                           "hf:a/b:x//y.gguf", "hf:a/b:.hidden", "hf:a/b:x\\y.gguf", "hf:a/b:a:b",
                           "localhost/../x", "a/../b", "host/a/b/c", "registry/..:x"}) {
    refused(text);
  }
  refused(std::string_view("hf:a/b:x\0y", 10));
  refused(std::string_view("/a\0b", 4));
}

TEST(ModelReference, WhatIsMissingIsSaid) {
  EXPECT_THAT(refused(""), HasSubstr("the name is empty"));
  EXPECT_THAT(refused("hf:gemma"), HasSubstr("expected USER/REPOSITORY"));
  EXPECT_THAT(refused("hf:a/b@"), HasSubstr("expected a branch, a tag or a commit"));
  EXPECT_THAT(refused("hf:a/b:"), HasSubstr("expected a type as Q4_K_M"));
  EXPECT_THAT(refused("http://host/a/b"), HasSubstr("--insecure HOST"));
  EXPECT_THAT(refused("gemma4:"), HasSubstr("the tag is empty"));
  EXPECT_THAT(refused(std::string(2000, 'x')), HasSubstr("2000 characters, 1000 at most"));
}

TEST(ModelReference, RepositoriesHaveHuggingFacesRules) {
  EXPECT_TRUE(is_repository("google/gemma-4-E2B-it"));
  EXPECT_TRUE(is_repository("a_b/c.d"));
  for (const char* text :
       {"", "a", "a/", "/b", "a/b/c", "-a/b", "a/b.", "a/b--c", "a/b..c", "a/b c", "a /b"}) {
    EXPECT_FALSE(is_repository(text)) << text;
  }
  EXPECT_FALSE(is_repository("a/" + std::string(97, 'b')));
}

}  // namespace
}  // namespace pleiad::pull
