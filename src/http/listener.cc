#include "http/listener.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <set>

#include "base/error.h"

namespace pleiad::http {
namespace {

struct Address {
  sockaddr_storage storage = {};
  socklen_t size = sizeof(sockaddr_storage);

  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
  int family() const { return storage.ss_family; }
  const sockaddr_in& v4() const { return reinterpret_cast<const sockaddr_in&>(storage); }
  const sockaddr_in6& v6() const { return reinterpret_cast<const sockaddr_in6&>(storage); }

  void set_port(std::uint16_t port) {
    if (family() == AF_INET) reinterpret_cast<sockaddr_in&>(storage).sin_port = htons(port);
    if (family() == AF_INET6) reinterpret_cast<sockaddr_in6&>(storage).sin6_port = htons(port);
  }
  std::uint16_t port() const {
    if (family() == AF_INET) return ntohs(v4().sin_port);
    return family() == AF_INET6 ? ntohs(v6().sin6_port) : 0;
  }
};

bool is_mapped_v4(const Address& address) {
  return address.family() == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&address.v6().sin6_addr);
}

std::string host_text(const Address& address) {
  std::array<char, INET6_ADDRSTRLEN> text = {};
  const void* bytes = &address.v4().sin_addr;
  int family = AF_INET;
  if (is_mapped_v4(address)) {
    bytes = address.v6().sin6_addr.s6_addr + 12;
  } else if (address.family() == AF_INET6) {
    bytes = &address.v6().sin6_addr;
    family = AF_INET6;
  }
  inet_ntop(family, bytes, text.data(), text.size());
  return text.data();
}

std::string text_of(const Address& address) {
  const std::string host = host_text(address);
  const bool brackets = host.find(':') != std::string::npos;
  return fmt::format(fmt::runtime(brackets ? "[{}]:{}" : "{}:{}"), host, address.port());
}

bool is_loopback(const Address& address) {
  if (address.family() == AF_INET) return (ntohl(address.v4().sin_addr.s_addr) >> 24) == 127;
  if (is_mapped_v4(address)) return address.v6().sin6_addr.s6_addr[12] == 127;
  return IN6_IS_ADDR_LOOPBACK(&address.v6().sin6_addr);
}

Error why_not(const Address& address, int error) {
  const std::string text = text_of(address);
  switch (error) {
    case EADDRINUSE:
      return Error(
          "{} is in use by another program (another pleiad, or ollama?); stop it, or "
          "choose another port",
          text);
    case EACCES:
      return Error("{}: no permission to listen there (ports below 1024 are the system's)", text);
    case EADDRNOTAVAIL:
      return Error("{}: this machine does not have that address", text);
    default:
      return Error("{}: cannot listen: {}", text, errno_text(error));
  }
}

Listener listen_on_address(Address address) {
  Listener listener(socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), "",
                    false);
  const int fd = listener.descriptor();
  if (fd < 0) throw why_not(address, errno);
  const int on = 1;
  const int off = 0;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (address.family() == AF_INET6) {
    // "::" takes IPv4 as well, whatever the system's default is.
    const bool any = IN6_IS_ADDR_UNSPECIFIED(&address.v6().sin6_addr);
    setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, any ? &off : &on, sizeof(on));
  }
  if (bind(fd, address.get(), address.size) != 0 || listen(fd, SOMAXCONN) != 0) {
    throw why_not(address, errno);
  }
  address.size = sizeof(address.storage);
  getsockname(fd, address.get(), &address.size);
  return {listener.release(), text_of(address), is_loopback(address)};
}

std::vector<Address> resolve(const std::string& host) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  const int code = getaddrinfo(host.c_str(), nullptr, &hints, &found);
  if (code != 0) {
    throw Error(
        "{}: not an address, and no name that leads to one ({}); expected an address, a "
        "name, \"*\" or \"unix:PATH\"",
        host, gai_strerror(code));
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(found, freeaddrinfo);
  std::vector<Address> addresses;
  std::set<std::string> seen;
  for (const addrinfo* info = found; info != nullptr; info = info->ai_next) {
    if (info->ai_family != AF_INET && info->ai_family != AF_INET6) continue;
    Address address;
    std::memcpy(&address.storage, info->ai_addr, info->ai_addrlen);
    address.size = info->ai_addrlen;
    if (seen.insert(host_text(address)).second) addresses.push_back(address);
  }
  return addresses;
}

Address literal(const char* text) { return resolve(text).front(); }

/// Whether the machine simply lacks that kind of address.
bool lacks(int error) { return error == EAFNOSUPPORT || error == EADDRNOTAVAIL; }

bool can_bind(Address address) {
  address.set_port(0);
  const int fd = socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return !lacks(errno);
  const Listener closes_it(fd, "", false);
  return bind(fd, address.get(), address.size) == 0 || !lacks(errno);
}

std::vector<Address> addresses_of(const std::string& host) {
  if (host == "*") return {can_bind(literal("::")) ? literal("::") : literal("0.0.0.0")};
  if (host == "localhost") {
    std::vector<Address> both = {literal("127.0.0.1")};
    if (can_bind(literal("::1"))) both.push_back(literal("::1"));
    return both;
  }
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    return resolve(host.substr(1, host.size() - 2));
  }
  return resolve(host);
}

}  // namespace

Listener::~Listener() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Listener::Listener(Listener&& other) noexcept
    : descriptor_(other.release()),
      address_(std::move(other.address_)),
      is_local_(other.is_local_) {}

int Listener::release() {
  const int descriptor = descriptor_;
  descriptor_ = -1;
  return descriptor;
}

std::vector<Listener> listen_on(const std::string& host, std::uint16_t port) {
  std::vector<Listener> listeners;
  if (host.starts_with("unix:")) {
    listeners.push_back(listen_on_unix(host.substr(5)));
    return listeners;
  }
  for (Address address : addresses_of(host)) {
    address.set_port(port);
    listeners.push_back(listen_on_address(address));
    // Where the system chooses, all of them get the same.
    if (port == 0) port = port_of(listeners.front());
  }
  return listeners;
}

std::uint16_t port_of(const Listener& listener) {
  Address address;
  getsockname(listener.descriptor(), address.get(), &address.size);
  return address.port();
}

Peer peer_of(int descriptor) {
  Address address;
  if (getpeername(descriptor, address.get(), &address.size) != 0) return {};
  if (address.family() == AF_UNIX) return {"unix", true, std::nullopt};
  return {text_of(address), is_loopback(address), parse_ip(host_text(address))};
}

std::vector<std::string> own_names() {
  std::array<char, 256> name = {};
  if (gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0') return {};
  const std::string own = name.data();
  return {own, own + ".local"};
}

std::vector<std::string> own_addresses() {
  ifaddrs* found = nullptr;
  if (getifaddrs(&found) != 0) return {};
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owner(found, freeifaddrs);
  std::vector<std::string> addresses;
  for (const ifaddrs* entry = found; entry != nullptr; entry = entry->ifa_next) {
    if (entry->ifa_addr == nullptr) continue;
    const int family = entry->ifa_addr->sa_family;
    if (family != AF_INET && family != AF_INET6) continue;
    Address address;
    std::memcpy(&address.storage, entry->ifa_addr,
                family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6));
    addresses.push_back(host_text(address));
  }
  return addresses;
}

}  // namespace pleiad::http
