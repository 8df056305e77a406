#include "http/authority.h"

#include <gtest/gtest.h>

#include "http/origin_check.h"

namespace pleiad::http {
namespace {

TEST(Authority, TakesHostAndPortApart) {
  EXPECT_EQ(parse_authority("LocalHost:80")->host, "localhost");
  EXPECT_EQ(parse_authority("localhost:80")->port, 80);
  EXPECT_EQ(parse_authority("localhost")->port, std::nullopt);
  EXPECT_EQ(parse_authority("[::1]:443")->host, "::1");
  EXPECT_EQ(parse_authority("name.")->host, "name");
  for (const char* text : {"", ":80", "a:", "a:b", "a:65536", "a:80x", "[::1", "::1", "[name]",
                           "a b", "a/b", "user@host", "[::1]x", "a:8:9"}) {
    EXPECT_FALSE(parse_authority(text)) << text;
  }
}

const HostRules kRules = {
    .check = HostCheck::own_names, .names = {"mybox", "llm.example"}, .addresses = {"203.0.113.9"}};

TEST(HostCheck, AllowsThisMachineAndPrivateAddresses) {
  for (const char* host :
       {"localhost", "localhost:11434", "app.localhost:1", "127.0.0.1", "127.8.8.8:3", "[::1]",
        "0.0.0.0:11434", "192.168.1.7", "10.0.0.1:1", "172.31.0.1", "[fe80::1]", "[fd00::2]:8",
        "MyBox:11434", "llm.example", "203.0.113.9", "host.docker.internal:11434", "localhost."}) {
    EXPECT_TRUE(host_allowed(host, kRules)) << host;
  }
}

TEST(HostCheck, RefusesOtherNames) {
  for (const char* host :
       {"", "evil.example", "localhost.evil.example", "evillocalhost", "127.0.0.1.evil.example",
        "8.8.8.8", "172.32.0.1", "[2001:db8::1]", "llm.example.evil", "0x7f000001", "2130706433",
        "localhost:80:80", "localhost@evil.example"}) {
    EXPECT_FALSE(host_allowed(host, kRules)) << host;
  }
  EXPECT_TRUE(host_allowed("evil.example",
                           {.check = HostCheck::own_names, .names = {"*"}, .addresses = {}}));
}

bool allowed(std::string_view origin, std::string_view host = "localhost:11434",
             const std::vector<std::string>& origins = {}) {
  return origin_allowed(origin, host, kRules, origins);
}

TEST(OriginCheck, AllowsPagesOfThisMachineAndItsPrograms) {
  for (const char* origin :
       {"http://localhost", "http://localhost:3000", "https://127.0.0.1:8443", "http://[::1]:80",
        "http://tauri.localhost", "app://obsidian.md", "file://", "tauri://localhost",
        "vscode-webview://abc", "HTTP://LOCALHOST:1"}) {
    EXPECT_TRUE(allowed(origin)) << origin;
  }
}

TEST(OriginCheck, RefusesOtherPages) {
  for (const char* origin :
       {"", "null", "http://evil.example", "https://localhost.evil.example", "http://192.168.0.9",
        "http://localhost@evil.example", "chrome-extension://abc", "http://", "localhost"}) {
    EXPECT_FALSE(allowed(origin)) << origin;
  }
}

TEST(OriginCheck, AllowsTheServersOwnPage) {
  EXPECT_TRUE(allowed("http://llm.example:11434", "llm.example:11434"));
  EXPECT_TRUE(allowed("http://192.168.0.9", "192.168.0.9:80"));
  EXPECT_FALSE(allowed("http://llm.example:81", "llm.example:11434"));
  // A name that was made to point here.
  EXPECT_FALSE(allowed("http://evil.example:11434", "evil.example:11434"));
}

TEST(OriginCheck, AllowsWhatIsConfigured) {
  const std::vector<std::string> origins = {"https://chat.example/", "https://*.corp.example",
                                            "chrome-extension://*"};
  EXPECT_TRUE(allowed("https://chat.example", "localhost", origins));
  EXPECT_TRUE(allowed("https://a.corp.example", "localhost", origins));
  EXPECT_TRUE(allowed("chrome-extension://abc", "localhost", origins));
  EXPECT_FALSE(allowed("http://chat.example", "localhost", origins));
  EXPECT_FALSE(allowed("https://chat.example.evil", "localhost", origins));
  EXPECT_FALSE(allowed("https://corp.example.evil", "localhost", origins));
  EXPECT_TRUE(allowed("null", "localhost", {"*"}));
}

}  // namespace
}  // namespace pleiad::http
