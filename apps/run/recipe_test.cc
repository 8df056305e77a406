#include "apps/run/recipe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace pleiad::apps {
namespace {

using ::testing::ElementsAre;

constexpr std::size_t kVocabSize = 100;

TEST(ApplyRecipe, TakesParametersSystemAndMessages) {
  store::Recipe recipe;
  recipe.system = "Be brief.";
  recipe.parameters = {{"temperature", 0.5}, {"top_k", 3},        {"stop", "a"},   {"stop", "none"},
                       {"seed", 7},          {"num_predict", -2}, {"num_ctx", 512}};
  recipe.messages = Json::array(
      {{{"role", "user"}, {"content", "Hi"}}, {{"role", "system"}, {"content", "Be kind."}}});
  ChatState state;
  apply_recipe(state, recipe, kVocabSize, true);
  EXPECT_EQ(state.generation.sampling.temperature, 0.5);
  EXPECT_EQ(state.generation.sampling.top_k, 3);
  EXPECT_EQ(state.generation.sampling.seed, 7);
  EXPECT_EQ(state.generation.max_tokens, -1);
  EXPECT_THAT(state.stop, ElementsAre("a", "none"));
  EXPECT_EQ(state.system, "Be brief.\n\nBe kind.");
  EXPECT_EQ(recipe_system(recipe), state.system);
  EXPECT_FALSE(state.system_is_set);
  ASSERT_EQ(state.messages.size(), 1);
  EXPECT_EQ(state.messages[0]["content"], "Hi");
}

TEST(ApplyRecipe, LeavesTheConversationAloneWhereOneIsGoneOnWith) {
  store::Recipe recipe;
  recipe.system = "Be brief.";
  recipe.parameters = {{"seed", -1}};
  ChatState state;
  state.generation.sampling.seed = 3;
  apply_recipe(state, recipe, kVocabSize, false);
  EXPECT_EQ(state.system, "");
  EXPECT_FALSE(state.generation.sampling.seed);
}

TEST(RecipeContextLength, IsAtMostWhatTheModelSupports) {
  store::Recipe recipe;
  EXPECT_EQ(recipe_context_length(recipe, 1000), 0);
  recipe.parameters = {{"num_ctx", 512}};
  EXPECT_EQ(recipe_context_length(recipe, 1000), 512);
  EXPECT_EQ(recipe_context_length(recipe, 100), 100);
}

}  // namespace
}  // namespace pleiad::apps
