#include "sandbox/system_call_rules.h"

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <thread>

#include "sandbox/fork_testing.h"

namespace pleiad::sandbox {
namespace {

/// What lets a child say how it went.
SystemCallRules rules_to_end() {
  SystemCallRules rules;
  rules.add(SCMP_ACT_ALLOW, SCMP_SYS(exit_group));
  return rules;
}

bool fails_with(int error, long result) { return result == -1 && errno == error; }

TEST(SystemCallRules, ThatAreAppliedLeaveTheCallsThatTheyAllow) {
  EXPECT_EQ(status_of_child([] {
              SystemCallRules rules = rules_to_end();
              rules.add(SCMP_ACT_ALLOW, SCMP_SYS(getppid));
              rules.add(SCMP_ACT_ERRNO(EPERM), SCMP_SYS(socket));
              rules.apply();
              return ::syscall(SYS_getppid) > 0 &&
                     fails_with(EPERM, ::syscall(SYS_socket, 1, 1, 0)) &&
                     fails_with(ENOSYS, ::syscall(SYS_getuid)) &&
                     fails_with(ENOSYS, ::syscall(5000));
            }),
            0);
}

TEST(SystemCallRules, CanDependOnArguments) {
  EXPECT_EQ(status_of_child([] {
              SystemCallRules rules = rules_to_end();
              // One descriptor alone, and of a number its upper bits.
              rules.add(SCMP_ACT_ALLOW, SCMP_SYS(fsync), argument_is(0, 77));
              rules.add(SCMP_ACT_ALLOW, SCMP_SYS(fdatasync), argument_is(0, 0x40, ~0xFULL));
              rules.apply();
              return fails_with(EBADF, ::syscall(SYS_fsync, 77)) &&
                     fails_with(ENOSYS, ::syscall(SYS_fsync, 78)) &&
                     fails_with(EBADF, ::syscall(SYS_fdatasync, 0x4F)) &&
                     fails_with(ENOSYS, ::syscall(SYS_fdatasync, 0x50));
            }),
            0);
}

TEST(SystemCallRules, GiveNoNewPrivilegesWhereTheyAreApplied) {
  EXPECT_EQ(status_of_child([] {
              SystemCallRules rules = rules_to_end();
              rules.add(SCMP_ACT_ALLOW, SCMP_SYS(prctl));
              rules.apply();
              return ::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1;
            }),
            0);
}

TEST(SystemCallRules, HoldForThreadsThatRunAlready) {
  EXPECT_EQ(status_of_child([] {
              enum { starting, started, applied, tried };
              std::atomic<int> stage = starting;
              std::atomic<bool> refused = false;
              // Without a call of the system's: hardly one is left when it goes on.
              const auto wait_for = [&stage](int wanted) {
                while (stage != wanted) {
                }
              };
              std::thread other([&] {
                stage = started;
                wait_for(applied);
                refused = fails_with(ENOSYS, ::syscall(SYS_getuid));
                stage = tried;
                wait_for(starting);  // never
              });
              wait_for(started);
              rules_to_end().apply();
              stage = applied;
              wait_for(tried);
              ::_exit(refused ? 0 : 1);
              return false;
            }),
            0);
}

#ifdef __x86_64__
TEST(SystemCallRules, EndAProcessThatMakesCallsOfAnotherArchitecture) {
  constexpr long kX32 = 0x40000000;
  const int status = status_of_child([] {
    rules_to_end().apply();
    return ::syscall(kX32 + SYS_getpid) > 0;
  });
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGSYS);
}
#endif

TEST(SystemCallRules, AreCompiledToWholeInstructions) {
  const std::string program = rules_to_end().compiled();
  EXPECT_GT(program.size(), 3 * sizeof(sock_filter));
  EXPECT_EQ(program.size() % sizeof(sock_filter), 0U);
}

}  // namespace
}  // namespace pleiad::sandbox
