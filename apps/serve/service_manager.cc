#include "apps/serve/service_manager.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "base/error.h"
#include "base/text_format.h"
#include "sandbox/descriptor.h"

namespace pleiad::apps {

void ServiceManager::ready(std::string_view address) const {
  tell(fmt::format("READY=1\nSTATUS=Listening on {}", address));
}

void ServiceManager::stopping(double seconds) const {
  // What comes after the last answer takes a moment. Nobody waits longer than a week.
  constexpr double kMoment = 10;
  constexpr double kWeek = 7 * 86400.0;
  const double limit = std::clamp(seconds, 0.0, kWeek) + kMoment;
  tell(fmt::format("STOPPING=1\nSTATUS=Running answers end\nEXTEND_TIMEOUT_USEC={}",
                   static_cast<std::int64_t>(limit * 1e6)));
}

void ServiceManager::tell(std::string_view state) const {
  if (socket_.empty()) return;
  const auto fail = [&](std::string_view why) {
    throw Error("NOTIFY_SOCKET: {}: the service manager cannot be told: {}", printable(socket_),
                why);
  };
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (socket_.size() >= sizeof address.sun_path) fail("no socket has so long a name");
  std::copy(socket_.begin(), socket_.end(), address.sun_path);
  if (socket_.front() == '@') address.sun_path[0] = '\0';
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket_.size());
  const sandbox::Descriptor sender(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (::sendto(sender.get(), state.data(), state.size(), MSG_NOSIGNAL,
               reinterpret_cast<const sockaddr*>(&address), size) < 0) {
    fail(errno_text(errno));
  }
}

}  // namespace pleiad::apps
