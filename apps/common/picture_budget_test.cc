#include "apps/common/picture_budget.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace pleiad::apps {
namespace {

TEST(PictureBudgetText, IsABudgetOrBySize) {
  EXPECT_EQ(read_picture_budget("560").value().of_model(280), 560);
  EXPECT_EQ(read_picture_budget("auto").value().of_model(280), std::nullopt);
  EXPECT_EQ(PictureBudget().of_model(280), 280);
}

TEST(PictureBudgetText, AllElseIsNamed) {
  for (const char* text : {"", "100", "0560", "280 ", "Auto", "-70", "1e3"}) {
    const auto read = read_picture_budget(text);
    ASSERT_FALSE(read) << text;
    EXPECT_NE(read.message().find("expected 70|140|280|560|1120|auto"), std::string::npos);
  }
}

TEST(PictureBudgetText, SaysWhoseItIs) {
  EXPECT_EQ(picture_budget_text({}, 280), "at most 280 tokens, the model's own");
  EXPECT_EQ(picture_budget_text({.tokens = 1120, .automatic = false}, 280), "at most 1,120 tokens");
  EXPECT_EQ(picture_budget_text({.tokens = std::nullopt, .automatic = true}, 280),
            "as many tokens as its size needs, 1,120 at most");
}

TEST(PictureBudgetText, AServersIsOneOfThoseThatTowersKnowOrTheUsual) {
  EXPECT_EQ(shown_picture_budget({{"vision", {{"max_soft_tokens", 1120}}}}), 1120);
  for (const char* wrong : {"256", "0", "-70", "281.5", "1e99", "\"280\"", "null", "[560]"}) {
    const Json shown =
        parse_json(fmt::format(R"({{"vision": {{"max_soft_tokens": {}}}}})", wrong), "server");
    EXPECT_EQ(shown_picture_budget(shown), 280) << wrong;
  }
  for (const Json& shown : {Json(nullptr), Json::object(), Json{{"vision", "1120"}},
                            Json{{"vision", Json::object()}}}) {
    EXPECT_EQ(shown_picture_budget(shown), 280) << to_text(shown);
  }
}

}  // namespace
}  // namespace pleiad::apps
