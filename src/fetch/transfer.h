#pragma once

#include <sys/socket.h>

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "client/url.h"
#include "media/media_kind.h"

namespace pleiad::fetch {

/// What a transfer may cost, and whom it may meet.
struct TransferLimits {
  media::MediaKind kind = media::MediaKind::picture;  // another type is refused before its bytes
  std::size_t max_bytes = 0;
  double deadline = 0;  // of monotonic_seconds()
  double connect_seconds = 5;
  std::filesystem::path certificates;  // of the authorities that https trusts; empty: the library's
  /// Asked with each address before there is a socket to it. What it has seen is what is connected
  /// to.
  std::function<bool(const sockaddr&)> may_connect;
  /// "HOST:PORT:ADDRESS": names that are looked up here and not by the system.
  std::vector<std::string> known_names;
};

struct Transferred {
  int status = 0;
  std::string content_type;  // as the server says it; may be empty
  std::string location;      // of a redirect, whole; empty: none
  std::string body;          // of status 200 alone
};

/// One GET: no cookies, no passwords, no proxy, no compression, no connection that another transfer
/// used, no redirect followed. A Failure is a sentence without its subject and names no address.
Result<Transferred> transfer(const client::Url& url, const TransferLimits& limits,
                             const std::function<bool()>& stop);

}  // namespace pleiad::fetch
