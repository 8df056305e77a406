// Pages of a PDF for people: what is asked for, what is told, what is refused.

#include "api/ollama/testing_client.h"
#include "base/base64.h"
#include "base/testing/json.h"

namespace pleiad::api::ollama {
namespace {

using ::testing::HasSubstr;

class PageRoutes : public OllamaTest {
 protected:
  PageRoutes() {
    serving::PageViews views;
    views.total_pages = 7;
    views.pages = {{.number = 3, .size = {336, 432}, .aspect = 0.70712, .png = "PNG"},
                   {.number = 4}};
    views.warnings = {"document: page 4 is blank"};
    service_.page_views = views;
  }
  const std::string pdf_ = encode_base64("%PDF-1.7");
};

TEST_F(PageRoutes, GivesPicturesAndHowManyPagesThereAre) {
  const std::string body =
      R"({"document": ")" + pdf_ + R"(", "name": "a.pdf", "pages": "3-7", "limit": 2})";
  EXPECT_EQ(json_from(answer("/api/pages", body)), json_from(R"({
      "total_pages": 7,
      "pages": [{"number": 3, "width": 336, "height": 432, "aspect": 0.7071, "png": "UE5H"}, {"number": 4}],
      "warnings": ["document: page 4 is blank"]})"));
  ASSERT_EQ(service_.views.size(), 1U);
  const serving::PagesRequest& asked = service_.views[0];
  EXPECT_EQ(*asked.document.bytes, "%PDF-1.7");
  EXPECT_EQ(asked.document.name, "a.pdf");
  EXPECT_EQ(asked.document.pages, "3-7");
  EXPECT_EQ(asked.document.field, "document");
  EXPECT_EQ(asked.most_pages, 2);
}

TEST_F(PageRoutes, NameWhatIsWrong) {
  const auto problem = [&](const std::string& body, int status = 400) {
    return json_from(answer("/api/pages", body, status));
  };
  EXPECT_EQ(problem("{}")["field"], "document");
  EXPECT_EQ(problem(R"({"document": "a-b="})")["field"], "document");
  EXPECT_EQ(problem(R"({"document": ")" + pdf_ + R"(", "limit": 13})")["field"], "limit");
  service_.page_views = service_error(serving::ServiceError::Code::bad_request,
                                      "document: is no PDF, so that it has no pages");
  EXPECT_THAT(problem(R"({"document": ")" + pdf_ + R"("})")["error"].get<std::string>(),
              HasSubstr("is no PDF"));
}

TEST_F(PageRoutes, AreNotDrawnForWhoIsGone) {
  service_.hold = true;
  const auto exchange = post("/api/pages", R"({"document": ")" + pdf_ + R"("})");
  ASSERT_EQ(service_.held_prompts.size(), 1U);
  EXPECT_FALSE(service_.held_prompts[0].ticket->cancelled);
  exchange->go_away();
  EXPECT_TRUE(service_.held_prompts[0].ticket->cancelled);
}

}  // namespace
}  // namespace pleiad::api::ollama
