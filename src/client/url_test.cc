#include "client/url.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/ascii.h"

namespace pleiad::client {
namespace {

using ::testing::HasSubstr;

std::string refusal(std::string_view text) {
  const auto url = parse_url(text);
  return url ? "taken: " + url.value().host : url.message();
}

TEST(Url, HasAHostAPortAndWhetherItIsSecure) {
  const auto url = parse_url("https://CDN.Example.com./a/b.png?w=1&h=%20#top");
  ASSERT_TRUE(url.ok()) << url.message();
  EXPECT_EQ(url.value().host, "cdn.example.com");
  EXPECT_EQ(url.value().port, 443);
  EXPECT_TRUE(url.value().secure);
  const auto plain = parse_url("http://example.com:8080");
  EXPECT_EQ(plain.value().port, 8080);
  EXPECT_FALSE(plain.value().secure);
  EXPECT_EQ(parse_url("http://[2606:4700::1111]/").value().host, "2606:4700::1111");
}

TEST(Url, NamesWhomItLeadsTo) {
  EXPECT_EQ(parse_url("https://Registry.Example.com:443/v2/a").value().origin(),
            "https://registry.example.com");
  EXPECT_EQ(parse_url("http://a.example:443").value().origin(), "http://a.example:443");
  const Url url = parse_url("http://[::1]:5000/a?b=%2F").value();
  EXPECT_EQ(url.origin(), "http://[::1]:5000");
  EXPECT_EQ(url.authority(), "[::1]:5000");
  EXPECT_EQ(url.part(CURLUPART_QUERY), "b=%2F");
  EXPECT_EQ(url.part(CURLUPART_FRAGMENT), "");
}

TEST(Url, LeadsOnAsAnAnswerSays) {
  const Url url = parse_url("https://a.example:5000/v2/x/blobs/uploads/").value();
  EXPECT_EQ(url.resolved("/v2/y?_state=a%2Bb").value().text(),
            "https://a.example:5000/v2/y?_state=a%2Bb");
  EXPECT_EQ(url.resolved("z").value().text(), "https://a.example:5000/v2/x/blobs/uploads/z");
  EXPECT_EQ(url.resolved("https://b.example/z").value().origin(), "https://b.example");
  EXPECT_FALSE(url.resolved("file:///etc/passwd").ok());
  EXPECT_FALSE(url.resolved("//user@b.example/").ok());
  EXPECT_FALSE(url.resolved("").ok());
  EXPECT_FALSE(url.resolved(std::string("/b\0c", 4)).ok());
}

TEST(Url, TakesMoreParameters) {
  const Url url = parse_url("https://a.example/token?x=1").value();
  const Url longer = url.with_query("scope", "repository:a/b:pull,push").with_query("n", "é&=");
  EXPECT_EQ(ascii_lower(longer.text()),
            "https://a.example/token?x=1&scope=repository%3aa%2fb%3apull%2cpush&n=%c3%a9%26%3d");
  EXPECT_EQ(parse_url("https://a.example/token").value().with_query("a", "b").text(),
            "https://a.example/token?a=b");
}

// An address of IPv4 in other clothes is what it will be connected to, so that it is not mistaken
// for a name.
TEST(Url, ReadsNumbersAsTheAddressesThatTheyAre) {
  for (const char* text : {"http://2130706433/", "http://0x7f.1/", "http://0177.0.0.1/",
                           "http://127.1/", "http://127.0.0.1./"}) {
    const auto url = parse_url(text);
    EXPECT_EQ(url ? url.value().host : "refused", url ? "127.0.0.1" : "refused") << text;
  }
}

TEST(Url, OfOtherKindsIsRefused) {
  for (const char* text :
       {"file:///etc/passwd", "ftp://example.com/a", "gopher://example.com:70/_x",
        "unix:/run/docker.sock", "data:image/png;base64,AAAA", "javascript:x"}) {
    EXPECT_THAT(refusal(text), HasSubstr("URL")) << text;
    EXPECT_FALSE(parse_url(text).ok()) << text;
  }
  EXPECT_THAT(refusal("ftp://example.com/a"), HasSubstr("neither http:// nor https://"));
}

TEST(Url, WithSecretsIsRefused) {
  EXPECT_THAT(refusal("https://user:secret@example.com/"), HasSubstr("user or a password"));
  EXPECT_THAT(refusal("https://user@example.com/"), HasSubstr("user or a password"));
  EXPECT_EQ(refusal("https://user:secret@example.com/").find("secret"), std::string::npos);
}

TEST(Url, ThatTwoReadersCouldReadInTwoWaysIsRefused) {
  for (const char* text :
       {"", "http://", "http://exa mple.com/", "http://example.com\\@evil.com/",
        "http://example.com\r\nHost: evil.com/", "http://b\xc3\xbc.de/", "http://%65xample.com:x/",
        "http://example.com:99999/", "http://[::1%25eth0]/", "http://exam%00ple.com/",
        "http://a.com,b.com/", "http://example.com:/\x7f"}) {
    EXPECT_FALSE(parse_url(text).ok()) << text << " " << refusal(text);
  }
  EXPECT_THAT(refusal("http://a.com/" + std::string(9000, 'x')), HasSubstr("at most 8192"));
}

}  // namespace
}  // namespace pleiad::client
