#include "apps/serve/service_manager.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/error.h"
#include "sandbox/descriptor.h"

namespace pleiad::apps {
namespace {

using ::testing::HasSubstr;

/// A socket as a service manager has it.
class Listener {
 public:
  explicit Listener(const std::string& name) : socket_(::socket(AF_UNIX, SOCK_DGRAM, 0)) {
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    std::copy(name.begin(), name.end(), address.sun_path);
    if (name.front() == '@') address.sun_path[0] = '\0';
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
    bound_ = ::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), size) == 0;
  }

  bool bound() const { return bound_; }
  /// What has come, or nothing.
  std::string next() const {
    std::array<char, 1000> bytes;
    const ssize_t n = ::recv(socket_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    return {bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(n, 0))};
  }

 private:
  sandbox::Descriptor socket_;
  bool bound_ = false;
};

TEST(ServiceManager, IsToldBySocketsWithAPathAndWithout) {
  const std::string path = testing::TempDir() + fmt::format("manager-{}.sock", ::getpid());
  for (const std::string& name : {path, fmt::format("@pleiad-manager-{}", ::getpid())}) {
    const Listener listener(name);
    ASSERT_TRUE(listener.bound()) << name;
    const ServiceManager manager(name);
    manager.ready("http://127.0.0.1:11434");
    EXPECT_EQ(listener.next(), "READY=1\nSTATUS=Listening on http://127.0.0.1:11434");
    manager.stopping(30);
    EXPECT_THAT(listener.next(), HasSubstr("STOPPING=1\n"));
    EXPECT_EQ(listener.next(), "");
  }
  ::unlink(path.c_str());
}

TEST(ServiceManager, IsToldHowLongRunningAnswersMayTake) {
  const std::string name = fmt::format("@pleiad-manager-time-{}", ::getpid());
  const Listener listener(name);
  const ServiceManager manager(name);
  manager.stopping(30);
  EXPECT_THAT(listener.next(), HasSubstr("EXTEND_TIMEOUT_USEC=40000000"));
  manager.stopping(-1);
  EXPECT_THAT(listener.next(), HasSubstr("EXTEND_TIMEOUT_USEC=10000000"));
  manager.stopping(1e300);
  EXPECT_THAT(listener.next(), HasSubstr("EXTEND_TIMEOUT_USEC=604810000000"));
}

TEST(ServiceManager, ThatIsNotThereIsNamed) {
  ServiceManager("").ready("nobody");
  EXPECT_THROW(ServiceManager("/nonexistent/socket").ready("x"), Error);
  EXPECT_THROW(ServiceManager(std::string(200, 'x')).ready("x"), Error);
  try {
    ServiceManager("/nonexistent/socket").stopping(1);
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("NOTIFY_SOCKET: /nonexistent/socket"));
  }
}

}  // namespace
}  // namespace pleiad::apps
