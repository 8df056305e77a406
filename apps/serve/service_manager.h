#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace pleiad::apps {

/// Tells the system's service manager how the server is doing, by systemd's protocol: datagrams to
/// the socket that NOTIFY_SOCKET names.
class ServiceManager {
 public:
  /// A path, or "@name" of an abstract socket; empty: there is nobody to tell.
  explicit ServiceManager(std::string socket) : socket_(std::move(socket)) {}

  /// It answers, at this address. Throws Error where that cannot be told.
  void ready(std::string_view address) const;
  /// It ends, in so many seconds at most. Throws Error likewise.
  void stopping(double seconds) const;

 private:
  void tell(std::string_view state) const;

  std::string socket_;
};

}  // namespace pleiad::apps
