#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "media/media_kind.h"

namespace pleiad::media {

/// Brings what a URL in a request points to. There is one only where whoever runs the server named
/// hosts (`--media-hosts`); without it URLs are refused. A seam: requests are read here and below
/// without sockets, and apps/serve gives what has them (src/fetch).
class MediaFetcher {
 public:
  virtual ~MediaFetcher() = default;

  /// The bytes at an http or https URL, of what is to be a medium of that kind. Waits, so it is
  /// nothing for a thread that must not. A Failure is for whoever sent the URL, a sentence without
  /// its subject: the host is not among those that are allowed, there is no answer, it is too long,
  /// or by its type something else. It names no address. `stop` (may be empty) is asked several
  /// times a second; where it is true the transfer ends with a Failure. Thread-safe.
  virtual Result<std::string> fetch(std::string_view url, MediaKind kind,
                                    const std::function<bool()>& stop = {}) = 0;
};

}  // namespace pleiad::media
