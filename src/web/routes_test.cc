#include "web/routes.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <regex>
#include <string>
#include <utility>

#include "base/picture_budgets.h"
#include "base/testing/paths.h"
#include "web/asset.h"

namespace pleiad::web {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const std::filesystem::path kPageFolder = std::filesystem::path(source_path()) / "src/web/page";

std::map<std::string, std::string> source_files() {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(kPageFolder)) {
    std::ifstream in(entry.path(), std::ios::binary);
    files[entry.path().filename()] = std::string(std::istreambuf_iterator<char>(in), {});
  }
  return files;
}

class RecordingExchange : public http::Exchange {
 public:
  explicit RecordingExchange(http::Response& to) : to_(to) {}
  void respond(http::Response response) override { to_ = std::move(response); }
  void begin(int, std::string, http::Headers) override { ADD_FAILURE() << "not in parts"; }
  void write(std::string) override {}
  void end() override {}
  void warn(const std::vector<std::string>&) override {}
  bool gone() const override { return false; }
  void on_gone(std::function<void()>) override {}

 private:
  http::Response& to_;
};

http::Request request(std::string path, http::Headers headers = {}) {
  http::Request made;
  made.method = "GET";
  made.path = std::move(path);
  made.headers = std::move(headers);
  return made;
}

http::Response get(const std::string& path, http::Headers headers = {}) {
  http::Router router;
  add_web_routes(router);
  const http::Router::Match match = router.find("GET", path);
  http::Response response{.status = 0, .body = "", .headers = {}};
  if (match.route == nullptr) return response;
  EXPECT_EQ(match.route->scope, http::Scope::open);
  http::Request made = request(path, std::move(headers));
  made.arguments = match.arguments;
  match.route->handler(std::move(made), std::make_shared<RecordingExchange>(response));
  return response;
}

std::string header(const http::Response& response, const std::string& name) {
  for (const auto& [key, value] : response.headers) {
    if (key == name) return value;
  }
  return "(none)";
}

TEST(Assets, AreTheSourcesByteForByte) {
  std::map<std::string, std::string> embedded;
  for (const Asset& asset : assets()) {
    EXPECT_TRUE(embedded.emplace(asset.name, asset.content).second) << asset.name << " twice";
  }
  EXPECT_EQ(embedded, source_files());
}

// The page says what a picture takes before it is sent.
TEST(Assets, KnowTheBudgetsOfPictures) {
  const std::string list = fmt::format("BUDGETS = [{}];", fmt::join(kPictureBudgets, ", "));
  EXPECT_THAT(source_files()["pictures.js"], HasSubstr(list));
}

TEST(Assets, HaveDigestsOfTheirOwn) {
  std::map<std::string_view, std::string_view> seen;
  for (const Asset& asset : assets()) {
    EXPECT_EQ(asset.digest.size(), 16u) << asset.name;
    EXPECT_TRUE(seen.emplace(asset.digest, asset.name).second) << asset.name;
  }
}

TEST(Assets, AskNoOtherHost) {
  const std::regex address("(https?:)?//[a-z0-9.-]+[.][a-z]{2,}", std::regex::icase);
  for (const Asset& asset : assets()) {
    const std::string content(asset.content);
    for (std::sregex_iterator at(content.begin(), content.end(), address), end; at != end; ++at) {
      // Names of XML, which nobody asks for.
      EXPECT_EQ(at->str(), "http://www.w3.org") << asset.name;
    }
  }
}

TEST(Assets, HaveNothingInlineThatThePolicyWouldRefuse) {
  for (const Asset& asset : assets()) {
    const std::string content(asset.content);
    if (asset.name.ends_with(".html")) {
      EXPECT_FALSE(
          std::regex_search(content, std::regex("<script>|<style|\\sstyle=|\\son[a-z]+=")));
    } else if (asset.name.ends_with(".js")) {
      EXPECT_THAT(content, AllOf(Not(HasSubstr("innerHTML")), Not(HasSubstr("insertAdjacentHTML")),
                                 Not(HasSubstr("document.write")), Not(HasSubstr("eval("))))
          << asset.name;
    }
  }
}

TEST(Assets, RefersOnlyToWhatIsEmbedded) {
  const auto files = source_files();
  const std::regex reference("/assets/([a-z_]+[.][a-z]+)|from \"[.]/([a-z_]+[.]js)\"");
  for (const auto& [name, content] : files) {
    for (std::sregex_iterator at(content.begin(), content.end(), reference), end; at != end; ++at) {
      EXPECT_TRUE(files.contains((*at)[1].str() + (*at)[2].str())) << name << ": " << at->str();
    }
  }
}

TEST(WebRoutes, ServesAssetsWithTheirTypes) {
  const std::pair<const char*, const char*> expected[] = {
      {"/assets/app.js", "text/javascript; charset=utf-8"},
      {"/assets/base.css", "text/css; charset=utf-8"},
      {"/assets/icons.svg", "image/svg+xml"},
  };
  for (const auto& [path, type] : expected) {
    const http::Response response = get(path);
    EXPECT_EQ(response.status, 200) << path;
    EXPECT_EQ(response.content_type, type);
    EXPECT_EQ(response.body, source_files().at(std::string(path).substr(8)));
  }
}

TEST(WebRoutes, AnswersWith404WhatIsNotThere) {
  EXPECT_EQ(get("/assets/nothing.js").status, 404);
  EXPECT_EQ(get("/assets/..").status, 404);
  EXPECT_EQ(get("/assets/app.js%00").status, 404);
  EXPECT_EQ(get("/assets/index.html").status, 404) << "the page is at / alone";
}

TEST(WebRoutes, SaysWhatBrowsersMayDo) {
  for (const http::Response& response : {get("/assets/app.js"), page(request("/"))}) {
    EXPECT_THAT(
        header(response, "Content-Security-Policy"),
        AllOf(HasSubstr("default-src 'self'"), Not(HasSubstr("unsafe")), Not(HasSubstr("http:")),
              HasSubstr("frame-ancestors 'none'"), HasSubstr("require-trusted-types-for 'script'"),
              HasSubstr("img-src 'self' blob:;"), HasSubstr("media-src 'self' blob:;"),
              Not(HasSubstr("data:"))));
    EXPECT_THAT(header(response, "Permissions-Policy"),
                AllOf(HasSubstr("camera=(self)"), HasSubstr("microphone=(self)")));
    EXPECT_EQ(header(response, "X-Content-Type-Options"), "nosniff");
    EXPECT_EQ(header(response, "Referrer-Policy"), "no-referrer");
    EXPECT_EQ(header(response, "Cache-Control"), "no-cache");
  }
}

TEST(WebRoutes, SendsNothingThatTheBrowserHasAlready) {
  const std::string tag = header(get("/assets/app.js"), "ETag");
  for (const std::string& known : {tag, "W/" + tag, "\"other\", " + tag, std::string("*")}) {
    const http::Response response = get("/assets/app.js", {{"if-none-match", known}});
    EXPECT_EQ(response.status, 304) << known;
    EXPECT_EQ(response.body, "");
    EXPECT_EQ(header(response, "ETag"), tag);
  }
  EXPECT_EQ(get("/assets/app.js", {{"if-none-match", "\"0123456789abcdef\""}}).status, 200);
  EXPECT_NE(header(get("/assets/api.js"), "ETag"), tag);
}

TEST(Page, IsTheDocument) {
  const http::Response response = page(request("/"));
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.content_type, "text/html; charset=utf-8");
  EXPECT_EQ(response.body, source_files().at("index.html"));
  EXPECT_EQ(header(response, "Vary"), "Accept");
}

TEST(Page, IsNotSentAgainToABrowserThatHasIt) {
  const std::string tag = header(page(request("/")), "ETag");
  EXPECT_EQ(page(request("/", {{"if-none-match", tag}})).status, 304);
}

}  // namespace
}  // namespace pleiad::web
