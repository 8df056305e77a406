#include "pull/registry/web_url.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/ascii.h"

namespace pleiad::pull {
namespace {

using ::testing::HasSubstr;

std::string read_url(std::string_view text) {
  const auto url = WebUrl::parse(text);
  return url ? url.value().text() : url.message();
}

TEST(WebUrl, SaysWhatConnectionsAreMadeBy) {
  const WebUrl url = WebUrl::parse("https://Registry.Example.com/v2/a?x=1").value();
  EXPECT_EQ(url.host(), "registry.example.com");
  EXPECT_EQ(url.origin(), "https://registry.example.com:443");
  EXPECT_EQ(WebUrl::parse("http://[::1]:5000/").value().origin(), "http://::1:5000");
}

TEST(WebUrl, LeadsOnAsAnAnswerSays) {
  const WebUrl url = WebUrl::parse("https://a.example:5000/v2/x/blobs/uploads/").value();
  EXPECT_EQ(url.resolve("/v2/y?_state=a%2Bb").value().text(),
            "https://a.example:5000/v2/y?_state=a%2Bb");
  EXPECT_EQ(url.resolve("https://b.example/z").value().origin(), "https://b.example:443");
  EXPECT_FALSE(url.resolve("file:///etc/passwd").ok());
  EXPECT_FALSE(url.resolve("").ok());
}

TEST(WebUrl, TakesMoreParameters) {
  const WebUrl url = WebUrl::parse("https://a.example/token?x=1").value();
  const WebUrl longer = url.with_query("scope", "repository:a/b:pull,push").with_query("n", "é&=");
  EXPECT_EQ(ascii_lower(longer.text()),
            "https://a.example/token?x=1&scope=repository%3aa%2fb%3apull%2cpush&n=%c3%a9%26%3d");
  EXPECT_EQ(WebUrl::parse("https://a.example/token").value().with_query("a", "b").text(),
            "https://a.example/token?a=b");
}

TEST(WebUrl, WhatIsNoneIsRefused) {
  EXPECT_THAT(read_url(""), HasSubstr("is no URL"));
  EXPECT_THAT(read_url("ftp://a.example/"), HasSubstr("neither http:// nor https://"));
  EXPECT_THAT(read_url("https://user:word@a.example/"), HasSubstr("a user or a password"));
  EXPECT_THAT(read_url("/relative"), HasSubstr("is no URL"));
  EXPECT_THAT(read_url(std::string("https://a\0.example/", 19)), HasSubstr("not ASCII"));
  EXPECT_FALSE(WebUrl::parse("https://a.example/").value().resolve(std::string("/b\0c", 4)).ok());
}

}  // namespace
}  // namespace pleiad::pull
