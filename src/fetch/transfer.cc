#include "fetch/transfer.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <new>
#include <optional>
#include <utility>

#include "base/ascii.h"
#include "base/clock.h"
#include "base/text_format.h"
#include "client/curl.h"
#include "fetch/content_type.h"

namespace pleiad::fetch {
namespace {

constexpr std::size_t kMaxHeaderBytes = std::size_t{64} << 10;
constexpr std::size_t kMaxDropped = std::size_t{64} << 10;
constexpr int kOk = 200;

/// One transfer on its way; libcurl calls back with it.
struct Incoming {
  CURL* easy = nullptr;
  const TransferLimits& limits;
  Transferred result = {};
  std::size_t n_header_bytes = 0;
  std::string refusal = {};  // why it was ended from here
  bool met_refused_address = false;
  std::size_t n_dropped = 0;
  bool only_status = false;  // it was ended for the length of what nobody reads
  bool out_of_memory = false;

  /// False where no more is wanted.
  bool take_header(std::size_t n) {
    n_header_bytes += n;
    if (n_header_bytes <= kMaxHeaderBytes) return true;
    refusal =
        fmt::format("was answered with headers of more than {}", format_bytes(kMaxHeaderBytes));
    return false;
  }

  bool take(std::string_view piece) {
    long status = 0;
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    if (status != kOk) {
      n_dropped += piece.size();  // a text for people
      only_status = n_dropped > kMaxDropped;
      return !only_status;
    }
    if (!refuse_type() && result.body.size() + piece.size() <= limits.max_bytes) {
      result.body += piece;
      return true;
    }
    if (refusal.empty()) refusal = too_long();
    return false;
  }

  std::string too_long() const {
    return fmt::format("is longer than {}, the most that is fetched",
                       format_bytes(limits.max_bytes));
  }

  /// Before its bytes are taken: a page of the web is no picture. What it is indeed, its bytes say.
  bool refuse_type() {
    const char* type = nullptr;
    curl_easy_getinfo(easy, CURLINFO_CONTENT_TYPE, &type);
    if (!type) return false;
    result.content_type = type;
    std::string plain = ascii_lower(result.content_type);
    plain.resize(std::min(plain.find(';'), plain.size()));
    while (plain.ends_with(' ')) plain.pop_back();
    if (may_be(limits.kind, plain)) return false;
    refusal = fmt::format("is of the type {}; expected a {}", printable(plain),
                          media::kind_name(limits.kind));
    return true;
  }
};

/// What libcurl calls must not throw.
template <typename Take>
std::size_t without_throwing(void* incoming, std::size_t size, const Take& take) noexcept {
  auto& in = *static_cast<Incoming*>(incoming);
  try {
    return take(in) ? size : 0;
  } catch (...) {
    in.out_of_memory = true;
    return 0;
  }
}

std::size_t on_body(char* data, std::size_t size, std::size_t count, void* incoming) {
  const std::string_view piece(data, size * count);
  return without_throwing(incoming, piece.size(), [&](Incoming& in) { return in.take(piece); });
}

std::size_t on_header_line(char*, std::size_t size, std::size_t count, void* incoming) {
  const std::size_t n = size * count;
  return without_throwing(incoming, n, [n](Incoming& in) { return in.take_header(n); });
}

/// A socket for this address, if it may be connected to. This is the address that will be: there
/// is no name between.
curl_socket_t open_socket(void* incoming, curlsocktype purpose, curl_sockaddr* address) noexcept {
  auto& in = *static_cast<Incoming*>(incoming);
  if (purpose != CURLSOCKTYPE_IPCXN) return CURL_SOCKET_BAD;
  if (!in.limits.may_connect(address->addr)) {
    in.met_refused_address = true;
    return CURL_SOCKET_BAD;
  }
  return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

/// In our words: the library's may name addresses.
std::string failure_text(CURLcode code, const Incoming& incoming) {
  if (incoming.out_of_memory) throw std::bad_alloc();
  if (!incoming.refusal.empty()) return incoming.refusal;
  if (incoming.met_refused_address) {
    return "is on a host with no public address, from which nothing is fetched";
  }
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
      return "is on a host that is not known";
    case CURLE_COULDNT_CONNECT:
      return "is on a host that takes no connection";
    case CURLE_OPERATION_TIMEDOUT:
      return "does not come in time";
    case CURLE_PEER_FAILED_VERIFICATION:
      return "is on a host whose certificate is not trusted";
    case CURLE_FILESIZE_EXCEEDED:
      return incoming.too_long();
    case CURLE_OUT_OF_MEMORY:
      throw std::bad_alloc();
    default:
      return "could not be fetched: the answer cannot be read or ends early";
  }
}

/// What every transfer has.
void set_up(CURL* easy, const client::Url& url, const TransferLimits& limits, double seconds,
            Incoming& incoming) {
  const auto set = [easy](CURLoption option, auto value) {
    client::set_option(easy, option, value);
  };
  set(CURLOPT_CURLU, url.parts.get());
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  set(CURLOPT_HTTP09_ALLOWED, 0L);
  set(CURLOPT_FOLLOWLOCATION, 0L);
  set(CURLOPT_PROXY, "");
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_FRESH_CONNECT, 1L);
  set(CURLOPT_FORBID_REUSE, 1L);
  set(CURLOPT_CONNECTTIMEOUT_MS, client::milliseconds(std::min(seconds, limits.connect_seconds)));
  set(CURLOPT_TIMEOUT_MS, client::milliseconds(seconds));
  set(CURLOPT_MAXFILESIZE_LARGE, static_cast<curl_off_t>(limits.max_bytes));
  set(CURLOPT_USERAGENT, "pleiad");
  if (!limits.certificates.empty()) set(CURLOPT_CAINFO, limits.certificates.c_str());
#if LIBCURL_VERSION_NUM >= 0x075700
  // Who stops waiting for a name waits for nobody: its thread ends when the system is done.
  set(CURLOPT_QUICK_EXIT, 1L);
#endif
  set(CURLOPT_OPENSOCKETFUNCTION, open_socket);
  set(CURLOPT_OPENSOCKETDATA, &incoming);
  set(CURLOPT_WRITEFUNCTION, on_body);
  set(CURLOPT_WRITEDATA, &incoming);
  set(CURLOPT_HEADERFUNCTION, on_header_line);
  set(CURLOPT_HEADERDATA, &incoming);
}

}  // namespace

Result<Transferred> transfer(const client::Url& url, const TransferLimits& limits,
                             const std::function<bool()>& stop) {
  const double seconds = limits.deadline - monotonic_seconds();
  if (seconds <= 0) return Failure{"does not come in time"};
  const client::Easy easy = client::new_easy();
  const client::Multi multi = client::new_multi();
  Incoming incoming{.easy = easy.get(), .limits = limits};
  set_up(easy.get(), url, limits, seconds, incoming);
  client::List names = client::new_list();
  for (const std::string& line : limits.known_names) client::append(names, line);
  curl_easy_setopt(easy.get(), CURLOPT_RESOLVE, names.get());

  const client::InMulti added(multi.get(), easy.get());
  const std::optional<CURLcode> code = client::run_one(multi.get(), stop);
  if (!code) return Failure{"was given up"};
  long status = 0;
  curl_easy_getinfo(easy.get(), CURLINFO_RESPONSE_CODE, &status);
  incoming.result.status = static_cast<int>(status);
  if (*code != CURLE_OK && !incoming.only_status) return Failure{failure_text(*code, incoming)};
  const char* location = nullptr;
  curl_easy_getinfo(easy.get(), CURLINFO_REDIRECT_URL, &location);
  if (location) incoming.result.location = location;
  return std::move(incoming.result);
}

}  // namespace pleiad::fetch
