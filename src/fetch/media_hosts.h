#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pleiad::fetch {

/// The hosts that pictures may come from, as `--media-hosts` names them.
class MediaHosts {
 public:
  /// "cdn.example.com" is that host, "*.example.org" each below that name but not itself, both at
  /// the ports 80 and 443; with ":8443" at that port alone. An address of IPv6 stands in brackets.
  /// A Failure quotes what cannot be one, or could never be fetched from: "localhost", an address
  /// that is not public.
  static Result<MediaHosts> parse(std::span<const std::string> entries);

  /// `host` as client::Url has it.
  bool allow(std::string_view host, std::uint16_t port) const;

  bool empty() const { return entries_.empty(); }

 private:
  struct Entry {
    std::string name;  // lower case; of "*.example.org": ".example.org"
    bool below = false;
    std::optional<std::uint16_t> port;
  };
  std::vector<Entry> entries_;
};

}  // namespace pleiad::fetch
