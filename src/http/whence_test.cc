#include "http/whence.h"

#include <gtest/gtest.h>

#include "http/exchange.h"

namespace pleiad::http {
namespace {

Peer tcp(const std::string& address) {
  const auto ip = parse_ip(address);
  return {address + ":4000", ip->is_loopback(), ip};
}
const Peer kUnix = {"unix", true, std::nullopt};

TrustedProxies trusting(const std::vector<std::string>& texts) {
  return parse_trusted_proxies(texts).value();
}

TEST(Network, HoldsItsAddresses) {
  const auto holds = [](std::string_view network, std::string_view address) {
    return parse_network(network).value().contains(*parse_ip(address));
  };
  EXPECT_TRUE(holds("10.0.0.0/8", "10.255.1.2"));
  EXPECT_FALSE(holds("10.0.0.0/8", "11.0.0.0"));
  EXPECT_TRUE(holds("192.168.4.0/22", "192.168.7.255"));
  EXPECT_FALSE(holds("192.168.4.0/22", "192.168.8.0"));
  EXPECT_TRUE(holds("127.0.0.1", "127.0.0.1"));
  EXPECT_TRUE(holds("127.0.0.1", "::ffff:127.0.0.1"));
  EXPECT_FALSE(holds("127.0.0.1", "127.0.0.2"));
  EXPECT_TRUE(holds("0.0.0.0/0", "203.0.113.9"));
  EXPECT_FALSE(holds("0.0.0.0/0", "2001:db8::1"));
  EXPECT_TRUE(holds("2001:db8::/33", "2001:db8:7fff::1"));
  EXPECT_FALSE(holds("2001:db8::/33", "2001:db8:8000::1"));
  for (const char* wrong : {"", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/8x",
                            "10.0.0/8", "name", "10.0.0.1/8", "::1/129", "[::1]", "10.0.0.0/8/8"}) {
    EXPECT_FALSE(parse_network(wrong)) << wrong;
  }
}

TEST(Whence, IsTheSocketWhereNoProxyIsTrusted) {
  EXPECT_TRUE(whence({}, tcp("127.0.0.1"), {}).is_local);
  EXPECT_EQ(whence({}, tcp("127.0.0.1"), {}).text, "127.0.0.1:4000");
  EXPECT_TRUE(whence({}, kUnix, {}).is_local);
  EXPECT_TRUE(whence({}, kUnix, {}).is_unix);
  EXPECT_FALSE(whence({}, tcp("203.0.113.9"), {}).is_local);
  // What anybody can write makes nobody another, and nobody local.
  const Headers claims = {{"x-forwarded-for", "127.0.0.1"}, {"forwarded", "for=127.0.0.1"}};
  EXPECT_FALSE(whence(claims, tcp("203.0.113.9"), {}).is_local);
  EXPECT_EQ(whence(claims, tcp("203.0.113.9"), {}).text, "203.0.113.9:4000");
}

TEST(Whence, IsNotLocalWhereARequestSaysThatItWasForwarded) {
  for (const char* name : {"x-forwarded-for", "forwarded", "via", "x-real-ip", "x-forwarded-host",
                           "x-forwarded-proto"}) {
    for (const Peer& peer : {tcp("127.0.0.1"), tcp("::1"), kUnix}) {
      const Whence found = whence({{name, "203.0.113.9"}}, peer, {});
      EXPECT_FALSE(found.is_local) << name;
      EXPECT_TRUE(found.is_forwarded) << name;
      EXPECT_EQ(found.text, peer.text) << name;
    }
  }
}

TEST(Whence, IsTheRightmostAddressThatIsNoTrustedProxy) {
  const TrustedProxies proxies = trusting({"127.0.0.1", "10.0.0.0/8", "unix"});
  const auto text = [&](const Headers& headers, const Peer& peer = tcp("127.0.0.1")) {
    const Whence found = whence(headers, peer, proxies);
    EXPECT_FALSE(found.is_local);
    EXPECT_TRUE(found.is_forwarded);
    return found.text;
  };
  EXPECT_EQ(text({{"x-forwarded-for", "203.0.113.9"}}), "203.0.113.9");
  EXPECT_EQ(text({{"x-forwarded-for", "203.0.113.9"}}, kUnix), "203.0.113.9");
  EXPECT_EQ(text({{"x-forwarded-for", "127.0.0.1, 203.0.113.9"}}), "203.0.113.9");
  EXPECT_EQ(text({{"x-forwarded-for", "1.2.3.4, 203.0.113.9, 10.1.1.1"}}), "203.0.113.9");
  EXPECT_EQ(text({{"x-forwarded-for", "1.2.3.4"}, {"x-forwarded-for", "203.0.113.9,10.1.1.1"}}),
            "203.0.113.9");
  EXPECT_EQ(text({{"x-forwarded-for", "203.0.113.9:1234"}}), "203.0.113.9");
  EXPECT_EQ(text({{"x-forwarded-for", "[2001:db8::1]:1234"}}), "2001:db8::1");
  EXPECT_EQ(text({{"x-forwarded-for", "2001:db8::1"}}), "2001:db8::1");
  EXPECT_EQ(text({{"x-forwarded-for", "10.1.1.1, 10.2.2.2"}}), "10.1.1.1");
  EXPECT_EQ(text({{"x-forwarded-for", "1.2.3.4, unknown, 10.1.1.1"}}), "10.1.1.1");
  EXPECT_EQ(text({{"x-forwarded-for", "unknown"}}), "127.0.0.1:4000");
  EXPECT_EQ(text({}), "127.0.0.1:4000");
  EXPECT_EQ(text({{"forwarded", "for=1.2.3.4, For=\"[2001:db8::1]:99\";proto=https;by=10.1.1.1"}}),
            "2001:db8::1");
  EXPECT_EQ(text({{"forwarded", "for=203.0.113.9;by=\"a,b;for=127.0.0.1\""}}), "203.0.113.9");
  // nginx and Caddy write the one and pass the other on as it came.
  EXPECT_EQ(text({{"forwarded", "for=127.0.0.1"}, {"x-forwarded-for", "203.0.113.9"}}),
            "203.0.113.9");
}

TEST(Whence, IsNotWhatACallerWroteSoThatItSwallowsTheRest) {
  const TrustedProxies proxies = trusting({"127.0.0.1"});
  const auto text = [&](std::string name, std::string value) {
    return whence({{std::move(name), std::move(value)}}, tcp("127.0.0.1"), proxies).text;
  };
  for (const char* mine : {"\"", "1.2.3.4:\"", "[::1]\"", "1.2.3.4, \"", "\"1.2.3.4"}) {
    EXPECT_EQ(text("x-forwarded-for", std::string(mine) + ", 203.0.113.9"), "203.0.113.9") << mine;
    EXPECT_EQ(text("forwarded", "for=" + std::string(mine) + ", for=203.0.113.9"), "203.0.113.9")
        << mine;
  }
  EXPECT_EQ(text("forwarded", R"(for=1.2.3.4;x="\"", for=203.0.113.9)"), "203.0.113.9");
  EXPECT_EQ(text("forwarded", R"(for=1.2.3.4;x="\\", for=203.0.113.9)"), "203.0.113.9");
  for (const char* bad : {"1.2.3.4:x", "1.2.3.4:", "[::1]x", "[::1"}) {
    EXPECT_EQ(text("x-forwarded-for", bad), "127.0.0.1:4000") << bad;
  }
}

TEST(Whence, TrustsNoOtherPeer) {
  const TrustedProxies proxies = trusting({"10.0.0.0/8"});
  const Headers claims = {{"x-forwarded-for", "198.51.100.1"}};
  EXPECT_EQ(whence(claims, tcp("203.0.113.9"), proxies).text, "203.0.113.9:4000");
  EXPECT_FALSE(whence(claims, kUnix, proxies).is_local);
  EXPECT_TRUE(whence({}, kUnix, proxies).is_local);
  EXPECT_TRUE(whence({}, tcp("127.0.0.1"), proxies).is_local);
  EXPECT_FALSE(parse_trusted_proxies({"nginx"}));
  EXPECT_NE(parse_trusted_proxies({"nginx"}).message().find("found 'nginx'"), std::string::npos);
}

}  // namespace
}  // namespace pleiad::http
