#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "client/url.h"
#include "download/surroundings.h"
#include "http/authority.h"

namespace pleiad::download {

/// Where a request goes, and whom its connection may meet.
struct Target {
  std::shared_ptr<const client::Url> url;  // several pieces of a file share it
  std::string proxy = {};                  // empty: none
  bool named_insecure = false;             // http is allowed, its certificate is not checked
  bool is_loopback = false;                // by its name: the address must be, too
  bool only_public = false;                // a host of the public internet led here

  /// "example.com", or "example.com:8080" where the port is not the scheme's.
  std::string host() const;
  /// Without its query, which may hold a signature.
  std::string text() const;
  /// A literal address, or a name of this machine, that is not of the public internet whoever looks
  /// it up.
  bool is_never_public() const;
  /// Same scheme, host and port.
  bool has_origin_of(const Target& other) const;
};

/// Which URLs are asked, and which redirects are followed.
class TargetRules {
 public:
  /// Throws Error for an insecure host that is none.
  explicit TargetRules(const Surroundings& surroundings);

  /// Its name is among Surroundings::insecure_hosts. A host without a port is asked at the one of
  /// its scheme.
  bool is_insecure(const http::Authority& host) const;

  /// What somebody named: https; http where the host is insecure by name, or loopback.
  Result<Target> first(std::string_view url) const;

  /// What an answer of `from` leads to. https; http where the host is insecure by name, or from
  /// loopback by http to loopback. `from_public`: the address that answered was of the public
  /// internet (Exchange::met_public()). Then no other address may be met from there on, but of a
  /// host that is insecure by name.
  Result<Target> next(const Target& from, bool from_public, std::string_view location) const;

 private:
  Result<Target> parse(std::string_view url) const;

  const Surroundings& surroundings_;
  std::vector<http::Authority> insecure_;
};

}  // namespace pleiad::download
