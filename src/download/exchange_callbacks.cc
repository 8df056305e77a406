#include "download/exchange_callbacks.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <string_view>

#include "base/ascii.h"
#include "base/text_format.h"
#include "download/exchange.h"
#include "download/network.h"
#include "http/ip_address.h"

namespace pleiad::download {
namespace {

constexpr std::size_t kMaxHeaderBytes = std::size_t{64} << 10;

/// What libcurl names as text, as an address of a socket; of no family where it is none.
sockaddr_storage socket_address(const char* ip, int port) {
  sockaddr_storage address = {};
  auto& v4 = reinterpret_cast<sockaddr_in&>(address);
  auto& v6 = reinterpret_cast<sockaddr_in6&>(address);
  if (inet_pton(AF_INET, ip, &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    v4.sin_port = htons(static_cast<std::uint16_t>(port));
  } else if (inet_pton(AF_INET6, ip, &v6.sin6_addr) == 1) {
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(static_cast<std::uint16_t>(port));
  }
  return address;
}

/// Runs what libcurl called.
template <typename Value, typename Work>
Value guarded(std::exception_ptr& thrown, Value when_thrown, const Work& work) noexcept {
  try {
    return work();
  } catch (...) {
    thrown = std::current_exception();
    return when_thrown;
  }
}

}  // namespace

/// The steps of the callbacks, which may throw.
struct ExchangeSteps {
  Exchange& own;

  std::size_t take_body(std::string_view piece) {
    switch (own.receiver_.body(piece)) {
      case Taken::all:
        own.n_bytes_ += piece.size();
        return piece.size();
      case Taken::later:
        own.paused_ = true;
        return CURL_WRITEFUNC_PAUSE;
      case Taken::enough:
        own.had_enough_ = true;
        return 0;
      case Taken::refused:
        break;
    }
    return 0;
  }

  bool take_header(std::string_view line) {
    own.n_bytes_ += line.size();
    own.n_header_bytes_ += line.size();
    if (own.n_header_bytes_ > kMaxHeaderBytes) {
      own.refuse(
          {Trouble::refused, fmt::format("{}: answers with headers of more than {}",
                                         own.target_.host(), format_bytes(kMaxHeaderBytes))});
      return false;
    }
    if (own.head_is_whole_) return true;  // what follows a body in chunks
    if (line.starts_with("HTTP/")) {
      own.headers_.clear();
      return true;
    }
    const std::string_view content = ascii_trimmed(line);
    if (content.empty()) return end_head();
    const std::size_t colon = std::min(content.find(':'), content.size());
    own.headers_.push_back(
        {std::string(ascii_trimmed(content.substr(0, colon))),
         std::string(ascii_trimmed(content.substr(std::min(colon + 1, content.size()))))});
    return true;
  }

  bool end_head() {
    long status = 0;
    curl_easy_getinfo(own.easy(), CURLINFO_RESPONSE_CODE, &status);
    if (status < 200) return true;  // another head follows
    own.status_ = static_cast<int>(status);
    own.head_is_whole_ = true;
    own.network_.note_reached(own.target_, own.met_public_);
    own.refusal_ = own.receiver_.head();
    return !own.refusal_;
  }

  /// Whether this address may be met.
  bool may_meet(const sockaddr& address) {
    const Target& target = own.target_;
    if (!target.proxy.empty()) {  // it is the proxy's
      own.met_public_ = !target.is_never_public();
      return true;
    }
    own.met_public_ = own.network_.is_public(address);
    if (target.only_public && !own.met_public_) {
      own.refuse({Trouble::not_allowed,
                  fmt::format("{}: a host of the public internet leads here, to an address that is "
                              "not of it: this is not followed",
                              target.host())});
      return false;
    }
    const auto ip = http::ip_of(address);
    const bool is_here = ip && (ip->is_loopback() || ip->is_unspecified());
    if (target.is_loopback && !target.url->secure && !target.named_insecure && !is_here) {
      own.refuse({Trouble::not_allowed,
                  fmt::format("{}: is not this machine, by its address, and http is not allowed "
                              "for others",
                              target.host())});
      return false;
    }
    own.refusal_.reset();  // of another address of the name
    return true;
  }

  std::size_t read_upload(char* buffer, std::size_t size) {
    const FilePart& part = *own.question_.upload;
    const auto wanted =
        static_cast<std::size_t>(std::min<std::uint64_t>(size, part.size - own.n_uploaded_));
    own.upload_.read(buffer, static_cast<std::streamsize>(wanted));
    const auto n = static_cast<std::size_t>(own.upload_.gcount());
    if (n < wanted) {
      own.refuse({Trouble::local_file,
                  fmt::format("{}: ends, or cannot be read, at byte {}", part.path.string(),
                              part.offset + own.n_uploaded_ + n)});
      return CURL_READFUNC_ABORT;
    }
    own.n_uploaded_ += n;
    own.n_bytes_ += n;
    if (own.question_.sent) own.question_.sent(own.n_uploaded_);
    return n;
  }

  bool seek_upload(curl_off_t offset) {
    own.upload_.clear();
    own.upload_.seekg(static_cast<std::streamoff>(own.question_.upload->offset) + offset);
    own.n_uploaded_ = static_cast<std::uint64_t>(offset);
    if (own.question_.sent) own.question_.sent(own.n_uploaded_);
    return own.upload_.good();
  }

  std::exception_ptr& thrown() { return own.thrown_; }
};

namespace {

ExchangeSteps steps_of(void* exchange) { return {*static_cast<Exchange*>(exchange)}; }

}  // namespace

std::size_t ExchangeCallbacks::on_body(char* data, std::size_t size, std::size_t count,
                                       void* exchange) {
  ExchangeSteps steps = steps_of(exchange);
  return guarded(steps.thrown(), std::size_t{0}, [&] {
    return steps.take_body({data, size * count});
  });
}

std::size_t ExchangeCallbacks::on_header(char* data, std::size_t size, std::size_t count,
                                         void* exchange) {
  ExchangeSteps steps = steps_of(exchange);
  const std::size_t n = size * count;
  const bool taken = guarded(steps.thrown(), false, [&] { return steps.take_header({data, n}); });
  return taken ? n : 0;
}

curl_socket_t ExchangeCallbacks::open_socket(void* exchange, curlsocktype purpose,
                                             curl_sockaddr* address) {
  ExchangeSteps steps = steps_of(exchange);
  const bool may = purpose == CURLSOCKTYPE_IPCXN &&
                   guarded(steps.thrown(), false, [&] { return steps.may_meet(address->addr); });
  if (!may) return CURL_SOCKET_BAD;
  return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

int ExchangeCallbacks::before_request(void* exchange, char* ip, char*, int port, int) {
  ExchangeSteps steps = steps_of(exchange);
  const sockaddr_storage address = socket_address(ip, port);
  const bool may = guarded(steps.thrown(), false, [&] {
    return steps.may_meet(reinterpret_cast<const sockaddr&>(address));
  });
  return may ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT;
}

std::size_t ExchangeCallbacks::on_read(char* buffer, std::size_t size, std::size_t count,
                                       void* exchange) {
  ExchangeSteps steps = steps_of(exchange);
  return guarded(steps.thrown(), std::size_t{CURL_READFUNC_ABORT},
                 [&] { return steps.read_upload(buffer, size * count); });
}

int ExchangeCallbacks::on_seek(void* exchange, curl_off_t offset, int origin) {
  if (origin != SEEK_SET || offset < 0) return CURL_SEEKFUNC_CANTSEEK;
  ExchangeSteps steps = steps_of(exchange);
  const bool done = guarded(steps.thrown(), false, [&] { return steps.seek_upload(offset); });
  return done ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL;
}

}  // namespace pleiad::download
