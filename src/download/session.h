#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "download/surroundings.h"
#include "download/trouble.h"
#include "http/authority.h"

namespace pleiad::download {

struct Header {
  std::string name, value;
};

/// So many bytes of a file, from an offset on.
struct FilePart {
  std::filesystem::path path;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

/// A small request, or an upload.
struct Call {
  std::string method = "GET";
  std::string url = {};
  /// The URL of the host whose answer named `url` (where to get a token, where to upload to): the
  /// call is held to what a redirect from there may do. Empty: somebody asked for `url` by its
  /// name.
  std::string led_by = {};
  /// Go wherever the answer leads: nothing secret may stand here.
  std::vector<Header> headers = {};
  /// The value of Authorization, "Bearer ..." or "Basic ..."; empty: none. It never follows a
  /// redirect to another origin (scheme, host and port).
  std::string authorization = {};
  std::string body = {};
  /// Sent as the body in its place. It is read while it is sent, again for each redirect.
  std::optional<FilePart> upload = {};
  /// An answer with a longer body is a Failure.
  std::size_t max_bytes = std::size_t{4} << 20;
  /// 301, 302, 303, 307 and 308, at most kMaxRedirects of them; false: a redirect is a Reply.
  bool follow_redirects = true;
  /// How much of an upload has been handed to the connection so far; it falls back to 0 when it is
  /// sent again.
  std::function<void(std::uint64_t)> sent = {};
};

inline constexpr int kMaxRedirects = 10;

struct Reply {
  int status = 0;
  std::vector<Header> headers = {};  // of the last answer, in its order
  std::string body = {};
  std::string url = {};  // that gave it; others than Call::url after redirects

  /// The first value of that name, in whatever case; empty: there is none.
  std::string_view header(std::string_view name) const;
};

class Network;

/// Talks to hosts of the internet for somebody who named them: https, or http where that is allowed
/// (Surroundings::insecure_hosts, loopback). A redirect leads to https only, from loopback to
/// loopback also by http; and from a host of the public internet never to an address that is not
/// public, which is decided when the connection is made. No cookies, no compression, headers of 64
/// KiB at most. Any number of threads may use a session; connections are used again.
class Session {
 public:
  explicit Session(Surroundings surroundings);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Any status is a Reply. A Failure means that there was no answer, or one that may not be
  /// followed; it names the host. GET and HEAD are tried again, with growing waits, where there is
  /// no connection, it breaks, or the answer is 408, 429, 500, 502, 503 or 504, as Retry-After asks
  /// for; the last such answer is the Reply. Other methods are sent once.
  Outcome<Reply> call(const Call& call, const Stop& stop);

  const Surroundings& surroundings() const;

  /// http is spoken with it, and its certificate not looked at, since it was named so.
  bool is_insecure(const http::Authority& host) const;

  /// For the other parts of this room.
  Network& network() { return *network_; }

 private:
  std::unique_ptr<Network> network_;
};

}  // namespace pleiad::download
