#include "pull/known_models.h"

#include <gtest/gtest.h>

#include <set>

#include "model/gemma4/family.h"
#include "pull/model_reference.h"

namespace pleiad::pull {
namespace {

TEST(KnownModels, AreNamesOfOllamasLibraryAndMembersOfTheFamily) {
  std::set<std::string_view> names;
  for (const KnownModel& model : known_models()) {
    EXPECT_TRUE(names.insert(model.name).second) << model.name;
    const auto reference = ModelReference::parse(model.name);
    ASSERT_TRUE(reference) << model.name;
    EXPECT_EQ(reference.value().text(), model.name);
    EXPECT_EQ(reference.value().host(), "registry.ollama.ai");
    EXPECT_NE(gemma4::find_member(model.member), nullptr) << model.name;
  }
}

TEST(KnownModels, WhatIsTheSameAsAnotherNamesOneThatIsAlike) {
  constexpr std::string_view kSame = "the same as ";
  int n_same = 0;
  for (const KnownModel& model : known_models()) {
    if (!model.about.starts_with(kSame)) continue;
    const KnownModel* other = find_known_model(model.about.substr(kSame.size()));
    ASSERT_NE(other, nullptr) << model.name;
    EXPECT_EQ(other->member, model.member);
    EXPECT_EQ(other->type, model.type);
    ++n_same;
  }
  EXPECT_GT(n_same, 0);
}

TEST(KnownModels, AreFoundInAnyCaseOfLetters) {
  ASSERT_NE(find_known_model("Gemma4:E2B-it-Q4_k_m"), nullptr);
  EXPECT_EQ(find_known_model("gemma4:e3b"), nullptr);
}

}  // namespace
}  // namespace pleiad::pull
