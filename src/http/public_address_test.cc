#include "http/public_address.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/un.h>

namespace pleiad::http {
namespace {

bool is_public_text(const char* text) {
  const auto address = parse_ip(text);
  EXPECT_TRUE(address.has_value()) << text;
  return is_public(*address);
}

// The edges of the blocks in IANA's registries of special-purpose addresses, from without.
TEST(PublicAddress, IsWhatTheInternetRoutes) {
  for (const char* text :
       {"1.0.0.0",         "8.8.8.8",          "9.255.255.255",   "11.0.0.0",
        "100.63.255.255",  "100.128.0.0",      "126.255.255.255", "128.0.0.0",
        "169.253.255.255", "169.255.0.0",      "172.15.255.255",  "172.32.0.0",
        "192.0.1.0",       "192.0.3.0",        "192.88.98.255",   "192.88.100.0",
        "192.167.255.255", "192.169.0.0",      "198.17.255.255",  "198.20.0.0",
        "198.51.99.255",   "198.51.101.0",     "203.0.112.255",   "203.0.114.0",
        "223.255.255.255", "2000::1",          "2001:200::1",     "2606:4700::1111",
        "2a00:1450::1",    "2001:db7:ffff::1", "2001:db9::1",     "2003::1",
        "3ffe::1"}) {
    EXPECT_TRUE(is_public_text(text)) << text;
  }
}

// Likewise from within, and what attackers reach for first.
TEST(PublicAddress, IsNoneOfThisMachineOfItsNetworksOrOfWhatHidesAnother) {
  for (const char* text :
       {"0.0.0.0", "0.255.255.255", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255",
        "100.100.100.200", "127.0.0.1", "127.255.255.255", "169.254.169.254", "169.254.0.0",
        "172.16.0.0", "172.31.255.255", "192.0.0.1", "192.0.0.192", "192.0.2.255", "192.88.99.1",
        "192.168.0.0", "192.168.255.255", "198.18.0.0", "198.19.255.255", "198.51.100.7",
        "203.0.113.255", "224.0.0.1", "239.255.255.255", "240.0.0.0", "255.255.255.255",
        "168.63.129.16",
        // IPv6
        "::", "::1", "::127.0.0.1", "::8.8.8.8", "64:ff9b::808:808", "64:ff9b:1::1", "100::1",
        "1fff::1", "4000::1", "5f00::1", "fc00::1", "fd12:3456::1", "fe80::1", "febf::1", "fec0::1",
        "ff02::1", "2001::1", "2001:0:4136:e378::1", "2001:10::1", "2001:20::1", "2001:1ff::1",
        "2001:db8::1", "2001:db8:ffff::1", "2002:7f00:1::1", "2002:808:808::1", "3fff::1",
        "3fff:fff::1", "fd00:ec2::254"}) {
    EXPECT_FALSE(is_public_text(text)) << text;
  }
}

bool is_public_socket(int family, const char* text) {
  if (family == AF_INET) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    EXPECT_EQ(::inet_pton(AF_INET, text, &address.sin_addr), 1);
    return is_public(reinterpret_cast<const sockaddr&>(address));
  }
  sockaddr_in6 address = {};
  address.sin6_family = AF_INET6;
  EXPECT_EQ(::inet_pton(AF_INET6, text, &address.sin6_addr), 1);
  return is_public(reinterpret_cast<const sockaddr&>(address));
}

TEST(PublicAddress, OfASocketIsOfIPv4OrIPv6AndNotOneWithinTheOther) {
  EXPECT_TRUE(is_public_socket(AF_INET, "8.8.8.8"));
  EXPECT_FALSE(is_public_socket(AF_INET, "127.0.0.1"));
  EXPECT_TRUE(is_public_socket(AF_INET6, "2606:4700::1111"));
  EXPECT_FALSE(is_public_socket(AF_INET6, "::1"));
  EXPECT_FALSE(is_public_socket(AF_INET6, "::ffff:127.0.0.1"));
  EXPECT_FALSE(is_public_socket(AF_INET6, "::ffff:8.8.8.8"));
  sockaddr_un local = {.sun_family = AF_UNIX, .sun_path = "/run/docker.sock"};
  EXPECT_FALSE(is_public(reinterpret_cast<const sockaddr&>(local)));
}

}  // namespace
}  // namespace pleiad::http
