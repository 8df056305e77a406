#include "fetch/media_hosts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pleiad::fetch {
namespace {

using ::testing::HasSubstr;

MediaHosts hosts(std::vector<std::string> entries) { return MediaHosts::parse(entries).value(); }

TEST(MediaHosts, AreNamesAndTheNamesBelowThem) {
  const MediaHosts some = hosts({"CDN.example.com", "*.Example.org"});
  EXPECT_TRUE(some.allow("cdn.example.com", 443));
  EXPECT_TRUE(some.allow("cdn.example.com", 80));
  EXPECT_TRUE(some.allow("a.example.org", 443));
  EXPECT_TRUE(some.allow("a.b.example.org", 443));
  for (const char* other : {"example.com", "xcdn.example.com", "a.cdn.example.com", "example.org",
                            "badexample.org", "example.org.evil.net", ".example.org", ""}) {
    EXPECT_FALSE(some.allow(other, 443)) << other;
  }
}

TEST(MediaHosts, HaveTheirUsualPortsOrTheOneThatIsNamed) {
  const MediaHosts some = hosts({"a.com", "b.com:8443", "[2606:4700::1111]:8080", "8.8.8.8"});
  EXPECT_FALSE(some.allow("a.com", 8443));
  EXPECT_FALSE(some.allow("a.com", 22));
  EXPECT_TRUE(some.allow("b.com", 8443));
  EXPECT_FALSE(some.allow("b.com", 443));
  EXPECT_TRUE(some.allow("2606:4700::1111", 8080));
  EXPECT_TRUE(some.allow("8.8.8.8", 80));
  EXPECT_FALSE(MediaHosts().allow("a.com", 443));
}

TEST(MediaHosts, ThatCannotBeAreRefusedWithTheirText) {
  for (const char* bad :
       {"", "*", "*.", "*.com", "*.*.com", "https://a.com", "a.com/x", "a..com", "-a b.com",
        "a.com:", "a.com:0x", "a.com:70000", "user@a.com", "b\xc3\xbc.de", "*a.com", "a.*.com"}) {
    const std::vector<std::string> entries = {"good.com", bad};
    const auto refused = MediaHosts::parse(entries);
    ASSERT_FALSE(refused.ok()) << bad;
    EXPECT_THAT(refused.message(), HasSubstr("expected a host such as cdn.example.com")) << bad;
  }
}

TEST(MediaHosts, AreNoAddressesInShortForms) {
  for (const char* bad : {"127.1", "127.0.1", "2130706433", "0x7f000001", "0x7F.1", "0177.0.0.1",
                          "127.1:8080", "8.8.2056", "*.0.1", "a.0x", "a.1"}) {
    const std::vector<std::string> entries = {"good.com", bad};
    const auto refused = MediaHosts::parse(entries);
    ASSERT_FALSE(refused.ok()) << bad;
    EXPECT_THAT(refused.message(), HasSubstr("expected a host such as cdn.example.com")) << bad;
  }
  EXPECT_TRUE(hosts({"1.example.x1"}).allow("1.example.x1", 443));
  EXPECT_TRUE(hosts({"0xabc.com"}).allow("0xabc.com", 443));
}

TEST(MediaHosts, ThatAreNeverFetchedFromAreRefused) {
  for (const char* never : {"localhost", "LocalHost:8080", "a.localhost", "*.a.localhost",
                            "127.0.0.1", "10.1.2.3:8443", "192.168.0.7", "169.254.169.254", "[::1]",
                            "[fd00::1]:8080", "[::ffff:10.0.0.1]", "0.0.0.0"}) {
    const std::vector<std::string> entries = {"good.com", never};
    const auto refused = MediaHosts::parse(entries);
    ASSERT_FALSE(refused.ok()) << never;
    EXPECT_THAT(refused.message(), HasSubstr(std::string("found '") + never +
                                             "': pictures are "
                                             "fetched from public addresses alone"));
  }
  EXPECT_TRUE(hosts({"localhost.example.com"}).allow("localhost.example.com", 443));
}

}  // namespace
}  // namespace pleiad::fetch
