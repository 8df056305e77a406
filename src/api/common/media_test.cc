#include "api/common/media.h"

#include <gtest/gtest.h>

#include "api/common/request_error.h"
#include "api/common/testing/request_problem.h"
#include "base/testing/json.h"

namespace pleiad::api {
namespace {

std::string content_problem(const std::string& message) {
  return problem_of([&] { check_content(json_from(message), "messages[1]"); });
}

TEST(Media, TextInAnyFormIsFine) {
  EXPECT_EQ(content_problem(R"({"content": "a"})"), "no problem");
  EXPECT_EQ(content_problem(R"({"content": null})"), "no problem");
  EXPECT_EQ(content_problem("{}"), "no problem");
  EXPECT_EQ(content_problem(R"({"content": [{"type": "text", "text": "a"}]})"), "no problem");
}

TEST(Media, AreRefusedByNameAndNeverDropped) {
  EXPECT_EQ(
      content_problem(R"({"content": [{"type": "image_url", "image_url": {"url": "x"}}]})"),
      "messages[1].content[0]: pictures cannot stand here: give them in messages of the user's or "
      "in results of tools");
  EXPECT_NE(
      content_problem(R"({"content": [{"type": "input_audio"}]})").find("sounds cannot stand here"),
      std::string::npos);
  EXPECT_NE(content_problem(R"({"content": [{"type": "video_url"}]})").find("video"),
            std::string::npos);
  EXPECT_NE(content_problem(R"({"content": [{"type": "file"}]})").find("documents"),
            std::string::npos);
}

TEST(Media, OtherContentIsNamed) {
  EXPECT_EQ(content_problem(R"({"content": 5})"),
            "messages[1].content: expected a string or a list of parts, found 5");
  EXPECT_EQ(content_problem(R"({"content": [{"type": "smell"}]})"),
            "messages[1].content[0].type: expected \"text\", found \"smell\"");
  EXPECT_EQ(content_problem(R"({"content": ["a"]})"),
            "messages[1].content[0]: expected an object, found \"a\"");
  EXPECT_EQ(content_problem(R"({"content": [{"type": "text"}]})"),
            "messages[1].content[0].text: missing; expected a string");
}

}  // namespace
}  // namespace pleiad::api
