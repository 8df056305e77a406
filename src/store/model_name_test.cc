#include "store/model_name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pleiad::store {
namespace {

using ::testing::HasSubstr;

TEST(ModelName, WhatIsNotSaidHasItsDefault) {
  EXPECT_EQ(ModelName::parse("gemma4").value().path(), "registry.ollama.ai/library/gemma4/latest");
  EXPECT_EQ(ModelName::parse("me/gemma4:e2b").value().path(), "registry.ollama.ai/me/gemma4/e2b");
  EXPECT_EQ(ModelName::parse("hf.co/me/x:Q4_0").value().path(), "hf.co/me/x/Q4_0");
  EXPECT_EQ(ModelName::parse("localhost:5000/me/x").value().path(), "localhost:5000/me/x/latest");
}

TEST(ModelName, TheTextIsTheShortestThatMeansTheSame) {
  for (const char* text : {"gemma4:e2b", "me/gemma4:latest", "hf.co/me/x:Q4_0", "_x:1.5"}) {
    EXPECT_EQ(ModelName::parse(text).value().text(), text);
  }
  EXPECT_EQ(ModelName::parse("registry.ollama.ai/library/x").value().text(), "x:latest");
}

TEST(ModelName, WhatIsNoNameIsRefused) {
  for (const std::string& text : {std::string(),
                                  std::string(":"),
                                  std::string("a:"),
                                  std::string(":a"),
                                  std::string("/a"),
                                  std::string("a/"),
                                  std::string("a//b"),
                                  std::string("a/b/c/d"),
                                  std::string(".."),
                                  std::string("../a"),
                                  std::string("a/.."),
                                  std::string("a:.."),
                                  std::string("a:b/c:d"),
                                  std::string(".a"),
                                  std::string("-a"),
                                  std::string("a b"),
                                  std::string("a\\b"),
                                  std::string("a\0", 2),
                                  std::string("\xC3\xA9"),
                                  std::string(81, 'a'),
                                  "a:" + std::string(81, 'a'),
                                  std::string(81, 'a') + "/a",
                                  std::string(256, 'a') + "/a/b",
                                  std::string("a.b/c"),
                                  std::string("a%2f")}) {
    const auto name = ModelName::parse(text);
    ASSERT_FALSE(name.ok()) << text;
    EXPECT_THAT(name.message(), HasSubstr("is not a model's name"));
  }
  EXPECT_TRUE(ModelName::parse(std::string(80, 'a')).ok());
}

TEST(ModelName, ComparesWithoutRegardToCase) {
  const ModelName name = ModelName::parse("Gemma4:E2B").value();
  EXPECT_TRUE(same_name(name, ModelName::parse("gemma4:e2b").value()));
  EXPECT_FALSE(same_name(name, ModelName::parse("gemma4:e4b").value()));
  EXPECT_EQ(name.text(), "Gemma4:E2B");
}

}  // namespace
}  // namespace pleiad::store
