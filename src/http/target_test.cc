#include "http/target.h"

#include <gtest/gtest.h>

namespace pleiad::http {
namespace {

Target good(std::string_view text) {
  auto result = parse_target(text);
  if (const auto* refusal = std::get_if<Refusal>(&result)) {
    ADD_FAILURE() << text << ": " << refusal->message;
    return {};
  }
  return std::get<Target>(result);
}

int target_refused(std::string_view text) {
  const auto result = parse_target(text);
  return std::holds_alternative<Refusal>(result) ? std::get<Refusal>(result).status : 0;
}

TEST(Target, DecodesPathAndQuery) {
  const Target target = good("/a%20b/%C3%A9+?x=1&y=a+b%26&z&=empty&x=2");
  EXPECT_EQ(target.path, "/a b/é+");
  const std::map<std::string, std::string> query = {
      {"x", "2"}, {"y", "a b&"}, {"z", ""}, {"", "empty"}};
  EXPECT_EQ(target.query, query);
}

TEST(Target, DecodesOnlyOnce) { EXPECT_EQ(good("/%252e%252e/x").path, "/%2e%2e/x"); }

TEST(Target, SlashesInARowAreOneAndOneAtTheEndIsNone) {
  for (const char* text : {"/v1/models", "/v1/models/", "//v1//models///", "/v1//models?a=//",
                           "http://host//v1/models/", "/v1%2Fmodels/"}) {
    EXPECT_EQ(good(text).path, "/v1/models") << text;
  }
  for (const char* text : {"/", "//", "////", "http://host//", "//?x"}) {
    EXPECT_EQ(good(text).path, "/") << text;
  }
  EXPECT_EQ(good("//host/x").authority, "") << "a path, not an address";
}

TEST(Target, EscapedSlashesStayAsTheyWereWritten) {
  EXPECT_EQ(good("/v1/models/%2Fhome%2fm.gguf").path, "/v1/models//home/m.gguf");
  EXPECT_EQ(good("/%2Fapi/delete").path, "//api/delete");
  EXPECT_EQ(good("/api/tags%2F").path, "/api/tags/");
  EXPECT_EQ(good("/api/tags%2F/").path, "/api/tags/");
}

TEST(Target, AcceptsTheAbsoluteForm) {
  const Target target = good("http://localhost:11434/api/tags?a=b");
  EXPECT_EQ(target.authority, "localhost:11434");
  EXPECT_EQ(target.path, "/api/tags");
  EXPECT_EQ(good("HTTP://host").path, "/");
  EXPECT_EQ(good("http://host?x=y").query.at("x"), "y");
}

TEST(Target, RefusesWhatIsNoPath) {
  for (const char* text : {"", "api", "ftp://host/", "http:///x", "host:80", "/a#b"}) {
    EXPECT_EQ(target_refused(text), 400) << text;
  }
  EXPECT_EQ(good("*").path, "*");
}

TEST(Target, RefusesBadEscapesAndControlCharacters) {
  for (const char* text : {"/%", "/%4", "/%4g", "/%00", "/a%0Ab", "/%7f", "/%ff", "/%c3", "/?%",
                           "/?a=%zz", "/?a=%00", "/?%0a=1", "/?a=%ff"}) {
    EXPECT_EQ(target_refused(text), 400) << text;
  }
  EXPECT_EQ(good("/?a=x%0Ay").query.at("a"), "x\ny");
}

TEST(Target, RefusesToClimb) {
  for (const char* text : {"/..", "/a/../b", "/a/./b", "/a/..", "/%2e%2e/x", "/a%2f..%2fb",
                           "//../x", "/a//..//b", "/../", "/.//", "/%2e%2e//"}) {
    EXPECT_EQ(target_refused(text), 400) << text;
  }
  EXPECT_EQ(good("/..a/b../...").path, "/..a/b../...");
}

TEST(Target, RefusesWhatIsTooLong) {
  EXPECT_EQ(target_refused("/" + std::string(8192, 'x')), 414);
  EXPECT_EQ(good("/" + std::string(8191, 'x')).path.size(), 8192U);
}

}  // namespace
}  // namespace pleiad::http
