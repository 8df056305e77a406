#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "http/whence.h"

namespace pleiad::http {

/// A socket that listens; owns it.
class Listener {
 public:
  Listener(int descriptor, std::string address, bool is_local)
      : descriptor_(descriptor), address_(std::move(address)), is_local_(is_local) {}
  ~Listener();
  Listener(Listener&& other) noexcept;
  Listener& operator=(Listener&&) = delete;

  int descriptor() const { return descriptor_; }
  /// Gives the descriptor away.
  int release();
  const std::string& address() const { return address_; }  // "127.0.0.1:11434", "unix:PATH"
  bool is_local() const { return is_local_; }              // loopback or a Unix socket

 private:
  int descriptor_;
  std::string address_;
  bool is_local_;
};

/// Listens where `host` says: "unix:PATH", "*" (every address, IPv6 and IPv4), an
/// address, or a name with all of its addresses ("localhost": 127.0.0.1 and, where
/// there is one, ::1). Throws Error that names the address and why not.
std::vector<Listener> listen_on(const std::string& host, std::uint16_t port);
/// Of a TCP listener, the one that the system chose; 0 for others.
std::uint16_t port_of(const Listener& listener);

/// A socket file whose server is gone is replaced; one that still answers is not.
/// Only its owner may connect.
Listener listen_on_unix(const std::string& path);
/// Removes the file, if it is still the one that `listener` made.
class UnixSocketFile {
 public:
  explicit UnixSocketFile(std::string path);
  ~UnixSocketFile();
  UnixSocketFile(const UnixSocketFile&) = delete;
  UnixSocketFile& operator=(const UnixSocketFile&) = delete;

 private:
  std::string path_;
  std::uint64_t device_ = 0;
  std::uint64_t inode_ = 0;
};

/// The other end of a connection.
Peer peer_of(int descriptor);

/// This machine's own names and addresses, for the check of Host.
std::vector<std::string> own_names();
std::vector<std::string> own_addresses();

}  // namespace pleiad::http
