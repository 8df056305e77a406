#include "http/router.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace pleiad::http {
namespace {

Router make(const std::vector<std::pair<std::string, std::string>>& routes) {
  Router router;
  for (const auto& [method, pattern] : routes) {
    router.add({.method = method,
                .pattern = pattern,
                .handler = [](const Request&, const std::shared_ptr<Exchange>&) {}});
  }
  return router;
}

std::string found(const Router& router, const std::string& method, const std::string& path) {
  const Router::Match match = router.find(method, path);
  if (match.route == nullptr) return "";
  std::string text = match.route->method + " " + match.route->pattern;
  for (const std::string& argument : match.arguments) text += " [" + argument + "]";
  return text;
}

TEST(Router, FindsWordsNamesAndRests) {
  const Router router = make({{"GET", "/"},
                              {"GET", "/api/blobs/{digest}"},
                              {"GET", "/v1/models/{id...}"},
                              {"POST", "/a/{x}/b/{y}"}});
  EXPECT_EQ(found(router, "GET", "/"), "GET /");
  EXPECT_EQ(found(router, "GET", "/api/blobs/sha256:1"), "GET /api/blobs/{digest} [sha256:1]");
  EXPECT_EQ(found(router, "GET", "/v1/models/org/name"), "GET /v1/models/{id...} [org/name]");
  EXPECT_EQ(found(router, "POST", "/a/1/b/2"), "POST /a/{x}/b/{y} [1] [2]");
  for (const char* path : {"", "x", "//", "/api", "/api/blobs", "/api/blobs/", "/api/blobs/a/b",
                           "/api/blobs/a/", "/v1/models/", "/v1/models", "/a/1/b", "/a//b/2"}) {
    EXPECT_EQ(found(router, "GET", path), "") << path;
    EXPECT_EQ(found(router, "POST", path), "") << path;
  }
}

TEST(Router, PrefersWhatSaysMore) {
  const Router router = make({{"GET", "/{rest...}"}, {"GET", "/a/{x}"}, {"GET", "/a/b"}});
  EXPECT_EQ(found(router, "GET", "/a/b"), "GET /a/b");
  EXPECT_EQ(found(router, "GET", "/a/c"), "GET /a/{x} [c]");
  EXPECT_EQ(found(router, "GET", "/a/c/d"), "GET /{rest...} [a/c/d]");
}

TEST(Router, AnswersHeadWithGetUnlessItHasItsOwn) {
  const Router router = make({{"GET", "/a"}, {"GET", "/b"}, {"HEAD", "/b"}, {"POST", "/c"}});
  EXPECT_EQ(found(router, "HEAD", "/a"), "GET /a");
  EXPECT_EQ(found(router, "HEAD", "/b"), "HEAD /b");
  EXPECT_EQ(found(router, "GET", "/b"), "GET /b");
  EXPECT_EQ(found(router, "HEAD", "/c"), "");
}

TEST(Router, SaysWhatAPathAllows) {
  const Router router = make({{"GET", "/a"}, {"DELETE", "/a"}});
  const std::vector<std::string> expected = {"DELETE", "GET", "HEAD", "OPTIONS"};
  EXPECT_EQ(router.find("POST", "/a").allowed, expected);
  EXPECT_TRUE(router.find("POST", "/b").allowed.empty());
}

TEST(Router, RefusesTwoRoutesForTheSameRequests) {
  EXPECT_THROW(make({{"GET", "/a/{x}"}, {"GET", "/a/{y}"}}), InternalError);
  EXPECT_THROW(make({{"GET", "/{x...}/b"}}), InternalError);
  EXPECT_THROW(make({{"GET", "a"}}), InternalError);
}

TEST(Router, WordsErrorsAsTheNearestRouteDoes) {
  Router router;
  const auto add = [&](std::string pattern, int marker) {
    router.add({.method = "GET",
                .pattern = std::move(pattern),
                .handler = [](const Request&, const std::shared_ptr<Exchange>&) {},
                .on_error =
                    [marker](int, const std::string&) {
                      return Response{.status = marker, .body = "", .headers = {}};
                    }});
  };
  add("/v1/chat/completions", 1);
  add("/v1/messages", 2);
  const auto near = [&](const std::string& path) {
    const ErrorFormat format = router.error_format_near(path);
    return format ? format(404, "").status : 0;
  };
  EXPECT_EQ(near("/v1/none"), 1);
  EXPECT_EQ(near("/v1/messages/batches"), 2);
  EXPECT_EQ(near("/api"), 0);
}

}  // namespace
}  // namespace pleiad::http
