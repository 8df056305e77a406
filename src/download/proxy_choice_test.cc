#include "download/proxy_choice.h"

#include <gtest/gtest.h>

namespace pleiad::download {
namespace {

TEST(NoProxy, NamesHostsAndWhatIsBelowThem) {
  EXPECT_TRUE(is_without_proxy("example.com", "example.com"));
  EXPECT_TRUE(is_without_proxy("a.org, .Example.com", "models.example.com"));
  EXPECT_TRUE(is_without_proxy("a.org example.com.", "models.example.com"));
  EXPECT_FALSE(is_without_proxy("example.com", "notexample.com"));
  EXPECT_FALSE(is_without_proxy("models.example.com", "example.com"));
  EXPECT_TRUE(is_without_proxy("*", "anything.org"));
  EXPECT_FALSE(is_without_proxy("", "anything.org"));
  EXPECT_FALSE(is_without_proxy(",, ,", "anything.org"));
}

TEST(NoProxy, NamesAddressesAndNetworks) {
  EXPECT_TRUE(is_without_proxy("10.0.0.0/8", "10.1.2.3"));
  EXPECT_TRUE(is_without_proxy("192.0.2.7", "192.0.2.7"));
  EXPECT_TRUE(is_without_proxy("[2001:db8::1]", "2001:db8::1"));
  EXPECT_TRUE(is_without_proxy("2001:db8::/32", "2001:db8::7"));
  EXPECT_FALSE(is_without_proxy("10.0.0.0/8", "11.1.2.3"));
  EXPECT_FALSE(is_without_proxy("2.3", "10.1.2.3")) << "an address is no name";
}

TEST(Proxy, IsThatOfTheScheme) {
  const Surroundings surroundings = {
      .http_proxy = "http://plain:1", .https_proxy = "http://secure:2", .no_proxy = "corp.example"};
  const auto choice = [&](const char* url) {
    return proxy_for(client::parse_url(url).value(), surroundings);
  };
  EXPECT_EQ(choice("https://example.com/"), "http://secure:2");
  EXPECT_EQ(choice("http://example.com/"), "http://plain:1");
  for (const char* url : {"https://a.corp.example/", "http://localhost:5000/", "http://127.0.0.1/",
                          "https://[::1]/", "http://registry.localhost/"}) {
    EXPECT_EQ(choice(url), "") << url;
  }
}

}  // namespace
}  // namespace pleiad::download
