#pragma once

#include <curl/curl.h>

#include <cstddef>

namespace pleiad::download {

/// What libcurl calls for an Exchange, which is the last argument. Nothing is thrown through its
/// frames: Exchange::end() throws it again.
struct ExchangeCallbacks {
  static std::size_t on_header(char* data, std::size_t size, std::size_t count, void* exchange);
  static std::size_t on_body(char* data, std::size_t size, std::size_t count, void* exchange);
  static std::size_t on_read(char* buffer, std::size_t size, std::size_t count, void* exchange);
  static int on_seek(void* exchange, curl_off_t offset, int origin);
  /// A socket for an address, if it may be met.
  static curl_socket_t open_socket(void* exchange, curlsocktype purpose, curl_sockaddr* address);
  /// Whether the connection, which may have served another request, may be asked this.
  static int before_request(void* exchange, char* ip, char* own_ip, int port, int own_port);
};

}  // namespace pleiad::download
