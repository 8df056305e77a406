#include "apps/models/list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pleiad::apps {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(AgeText, SaysTheLargestWholeUnit) {
  EXPECT_EQ(age_text(1000, 1000), "just now");
  EXPECT_EQ(age_text(1000, 900), "just now");
  EXPECT_EQ(age_text(0, 60), "1 minute ago");
  EXPECT_EQ(age_text(0, 7199), "1 hour ago");
  EXPECT_EQ(age_text(0, 3 * 86400), "3 days ago");
  EXPECT_EQ(age_text(0, 800 * 86400), "2 years ago");
}

TEST(ListText, HasAColumnForEachThingAndNoRowForWhatCannotBeUsed) {
  store::ModelEntry good;
  good.name = "gemma4:e2b";
  good.digest = "0123456789abcdef";
  good.size_bytes = 3'200'000'000;
  good.source = store::Source::ollama;
  store::ModelEntry bad;
  bad.name = "llama3:latest";
  bad.problem = "another family";
  const std::string text = list_text({good, bad}, 60, false);
  EXPECT_EQ(text,
            "NAME          ID              SIZE      MODIFIED        SOURCE\n"
            "gemma4:e2b    0123456789ab    3.2 GB    1 minute ago    ollama\n"
            "\n1 more cannot be used; `pleiad list --all` says why.\n");
  EXPECT_THAT(list_text({good, bad}, 60, true),
              HasSubstr("llama3:latest (pleiad): another family"));
  EXPECT_THAT(list_text({good}, 60, true), Not(HasSubstr("cannot")));
}

TEST(ListNames, AreThoseThatCanBeUsed) {
  store::ModelEntry good, bad, odd;
  good.name = "gemma4:e2b";
  bad.name = "llama3:latest";
  bad.problem = "another family";
  odd.name = "two\nlines";
  EXPECT_EQ(list_names({good, bad, odd}), "gemma4:e2b\n");
}

TEST(ListJson, HasWhatTheTableHasAndTheReasonsWhereAsked) {
  store::ModelEntry good, bad;
  good.name = "gemma4:e2b";
  good.digest = "0123456789abcdef";
  good.size_bytes = 5;
  good.modified = 7;
  good.source = store::Source::ollama;
  good.path = "/m";
  bad.name = "llama3:latest";
  bad.problem = "another family";
  const Json listed = parse_json(list_json({good, bad}, false), "list");
  EXPECT_EQ(listed, Json({{"models",
                           {{{"name", "gemma4:e2b"},
                             {"digest", "0123456789abcdef"},
                             {"size", 5},
                             {"modified", 7},
                             {"source", "ollama"},
                             {"path", "/m"},
                             {"vision", false}}}}}));
  const Json all = parse_json(list_json({good, bad}, true), "list");
  EXPECT_EQ(all["models"][1]["problem"], "another family");
}

}  // namespace
}  // namespace pleiad::apps
