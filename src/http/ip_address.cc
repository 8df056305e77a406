#include "http/ip_address.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>

#include <algorithm>
#include <charconv>

#include "base/text_format.h"

namespace pleiad::http {
namespace {

constexpr int kMappedBits = 96;

}  // namespace

bool IpAddress::is_v4() const {
  return std::all_of(bytes.begin(), bytes.begin() + 10, [](std::uint8_t b) { return b == 0; }) &&
         bytes[10] == 0xFF && bytes[11] == 0xFF;
}

bool IpAddress::is_loopback() const {
  if (is_v4()) return bytes[12] == 127;
  return bytes[15] == 1 &&
         std::all_of(bytes.begin(), bytes.end() - 1, [](std::uint8_t b) { return b == 0; });
}

bool IpAddress::is_unspecified() const {
  const auto from = bytes.begin() + (is_v4() ? 12 : 0);
  return std::all_of(from, bytes.end(), [](std::uint8_t b) { return b == 0; });
}

bool IpAddress::is_private() const {
  const auto& a = bytes;
  if (!is_v4()) return (a[0] & 0xFE) == 0xFC || (a[0] == 0xFE && (a[1] & 0xC0) == 0x80);
  return a[12] == 10 || (a[12] == 172 && (a[13] & 0xF0) == 16) || (a[12] == 192 && a[13] == 168) ||
         (a[12] == 169 && a[13] == 254) || (a[12] == 100 && (a[13] & 0xC0) == 64);
}

std::string IpAddress::text() const {
  std::array<char, INET6_ADDRSTRLEN> text = {};
  const bool v4 = is_v4();
  inet_ntop(v4 ? AF_INET : AF_INET6, bytes.data() + (v4 ? 12 : 0), text.data(), text.size());
  return text.data();
}

std::optional<IpAddress> ip_of(const sockaddr& address) {
  IpAddress found;
  if (address.sa_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(&v4.sin_addr);
    found.bytes[10] = found.bytes[11] = 0xFF;
    std::copy(bytes, bytes + 4, found.bytes.begin() + 12);
    return found;
  }
  if (address.sa_family != AF_INET6) return std::nullopt;
  const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
  std::copy(std::begin(v6.sin6_addr.s6_addr), std::end(v6.sin6_addr.s6_addr), found.bytes.begin());
  return found;
}

std::optional<IpAddress> parse_ip(std::string_view text) {
  const std::string copy(text);
  IpAddress address;
  if (inet_pton(AF_INET6, copy.c_str(), address.bytes.data()) == 1) return address;
  address = {};
  address.bytes[10] = address.bytes[11] = 0xFF;
  if (inet_pton(AF_INET, copy.c_str(), address.bytes.data() + 12) == 1) return address;
  return std::nullopt;
}

bool Network::contains(const IpAddress& address) const {
  const int whole = bits / 8;
  if (!std::equal(first.bytes.begin(), first.bytes.begin() + whole, address.bytes.begin())) {
    return false;
  }
  if (bits % 8 == 0) return true;
  const int shift = 8 - bits % 8;
  return first.bytes[static_cast<std::size_t>(whole)] >> shift ==
         address.bytes[static_cast<std::size_t>(whole)] >> shift;
}

Result<Network> parse_network(std::string_view text) {
  const auto fail = [&](std::string_view why) {
    return Failure{fmt::format("expected an address or a network such as 10.0.0.0/8, found '{}'{}",
                               printable(text), why)};
  };
  const std::size_t slash = std::min(text.find('/'), text.size());
  const auto address = parse_ip(text.substr(0, slash));
  if (!address) return fail("");
  Network network{*address, 128};
  if (slash < text.size()) {
    const int extra = address->is_v4() ? kMappedBits : 0;
    const char* const end = text.data() + text.size();
    const auto [last, error] = std::from_chars(text.data() + slash + 1, end, network.bits);
    if (error != std::errc() || last != end || network.bits < 0 || network.bits + extra > 128) {
      return fail("");
    }
    network.bits += extra;
  }
  for (int bit = network.bits; bit < 128; ++bit) {
    if (address->bytes[static_cast<std::size_t>(bit / 8)] >> (7 - bit % 8) & 1) {
      return fail(": bits beyond the prefix are set");
    }
  }
  return network;
}

}  // namespace pleiad::http
