#pragma once

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>

namespace pleiad {

/// A socket that waits for connections on 127.0.0.1, at a port that was free.
struct LoopbackListener {
  int socket = -1;
  std::uint16_t port = 0;
};

inline LoopbackListener listen_on_loopback(int backlog) {
  LoopbackListener listener;
  listener.socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (::bind(listener.socket, reinterpret_cast<const sockaddr*>(&address), size) != 0 ||
      ::listen(listener.socket, backlog) != 0 ||
      ::getsockname(listener.socket, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    ADD_FAILURE() << "no server on this machine";
  }
  listener.port = ntohs(address.sin_port);
  return listener;
}

}  // namespace pleiad
