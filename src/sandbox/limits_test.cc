#include "sandbox/limits.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

#include "sandbox/fork_testing.h"

namespace pleiad::sandbox {
namespace {

bool both_limits_are(__rlimit_resource_t resource, rlim_t value) {
  rlimit both = {};
  return ::getrlimit(resource, &both) == 0 && both.rlim_cur == value && both.rlim_max == value;
}

TEST(ResourceLimits, AreLoweredAndNeverRaised) {
  EXPECT_EQ(status_of_child([] {
              return limit_resource(RLIMIT_NOFILE, 20) && both_limits_are(RLIMIT_NOFILE, 20) &&
                     limit_resource(RLIMIT_NOFILE, 500) && both_limits_are(RLIMIT_NOFILE, 20);
            }),
            0);
}

TEST(ResourceLimits, LeaveNoDumpOfMemory) {
  const int status = status_of_child([] {
    forbid_core_dumps();
    std::signal(SIGABRT, SIG_DFL);
    return ::raise(SIGABRT) == 0;
  });
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_FALSE(WCOREDUMP(status));
}

TEST(GiveUpRoot, MakesNobodyOfRootAndLeavesOthers) {
  const uid_t before = ::geteuid();
  EXPECT_EQ(status_of_child([before] {
              const uid_t wanted = before == 0 ? 65534 : before;
              return give_up_root() && ::getuid() == wanted && ::geteuid() == wanted &&
                     (before != 0 || (::getegid() == 65534 && ::getgroups(0, nullptr) == 0));
            }),
            0);
}

}  // namespace
}  // namespace pleiad::sandbox
