#include "api/anthropic/models.h"

#include <gtest/gtest.h>

#include "api/common/request_error.h"
#include "base/testing/json.h"

namespace pleiad::api::anthropic {
namespace {

std::vector<store::ModelEntry> entries() {
  std::vector<store::ModelEntry> list(4);
  for (std::size_t i = 0; i < list.size(); ++i) {
    list[i].name = std::string(1, static_cast<char>('a' + i));
  }
  list[1].problem = "damaged";
  list[2].details = store::ModelDetails{};
  list[2].details->context_length = 4096;
  return list;
}

std::string ids(const Json& page) {
  std::string all;
  for (const Json& model : page["data"]) all += model["id"].get<std::string>();
  return all;
}

TEST(AnthropicModels, HasEveryFieldThatClientsRequire) {
  EXPECT_EQ(model_json(entries()[2]), json_from(R"({"type": "model", "id": "c",
      "display_name": "c", "created_at": "1970-01-01T00:00:00Z", "lifecycle": "active",
      "max_input_tokens": 4096})"));
}

TEST(AnthropicModels, ListsThoseThatCanBeRunInPages) {
  const Json all = model_list(entries(), {});
  EXPECT_EQ(ids(all), "acd");
  EXPECT_EQ(all["first_id"], "a");
  EXPECT_EQ(all["last_id"], "d");
  EXPECT_EQ(all["has_more"], false);
  EXPECT_EQ(ids(model_list(entries(), {{"limit", "2"}})), "ac");
  EXPECT_EQ(model_list(entries(), {{"limit", "2"}})["has_more"], true);
  EXPECT_EQ(ids(model_list(entries(), {{"after_id", "a"}, {"limit", "1"}})), "c");
  EXPECT_EQ(ids(model_list(entries(), {{"before_id", "d"}, {"limit", "1"}})), "c");
  EXPECT_EQ(model_list({}, {})["first_id"], nullptr);
}

TEST(AnthropicModels, RefusesWhatIsNoPage) {
  EXPECT_THROW(model_list(entries(), {{"limit", "0"}}), RequestError);
  EXPECT_THROW(model_list(entries(), {{"limit", "x"}}), RequestError);
  EXPECT_THROW(model_list(entries(), {{"after_id", "z"}}), RequestError);
}

}  // namespace
}  // namespace pleiad::api::anthropic
