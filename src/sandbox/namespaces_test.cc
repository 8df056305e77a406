#include "sandbox/namespaces.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "sandbox/fork_testing.h"
#include "sandbox/limits.h"

namespace pleiad::sandbox {
namespace {

bool reaches_this_machine() {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(9);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  // Refused by who is there is reached.
  return ::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 ||
         errno == ECONNREFUSED;
}

bool finds_files() {
  return ::open("/etc/passwd", O_RDONLY) >= 0 || ::open("/proc/self/status", O_RDONLY) >= 0 ||
         ::open("../../../../etc/passwd", O_RDONLY) >= 0 || ::mkdir("/x", 0700) == 0 ||
         ::open("/x", O_WRONLY | O_CREAT, 0600) >= 0;
}

// What is not had is told: where a system allows nothing, nothing is promised.
TEST(OwnNamespaces, HaveNeitherNetworkNorFiles) {
  EXPECT_EQ(status_of_child([] {
              const OwnNamespaces own = leave_common_namespaces();
              return !(own.network && reaches_this_machine()) && !(own.files && finds_files());
            }),
            0);
}

TEST(OwnNamespaces, ShowWhatIsToBeReadableAndNothingElse) {
  EXPECT_EQ(status_of_child([] {
              const char* const readable[] = {"/usr/lib", "/etc/hostname", "/is/not/there"};
              struct stat status = {};
              const bool has_hostname = ::stat("/etc/hostname", &status) == 0;
              if (!leave_common_namespaces(readable).files) return true;
              return ::stat("/usr/lib", &status) == 0 && S_ISDIR(status.st_mode) &&
                     (::open("/etc/hostname", O_RDONLY) >= 0) == has_hostname &&
                     ::open("/etc/hostname", O_WRONLY) < 0 && !finds_files() &&
                     ::mkdir("/usr/lib/new", 0700) != 0 && ::mkdir("/usr/new", 0700) != 0 &&
                     ::stat("/is", &status) != 0 && ::stat("/usr/bin", &status) != 0;
            }),
            0);
}

TEST(OwnNamespaces, LeaveNobodyAnyPrivilege) {
  EXPECT_EQ(status_of_child([] {
              if (!give_up_root()) return false;
              leave_common_namespaces();
              return ::unshare(CLONE_NEWNET) != 0 && ::sethostname("x", 1) != 0 &&
                     ::chroot("/") != 0;
            }),
            0);
}

TEST(OwnNamespaces, AreThereWhereTheSystemLetsUsersMakeThem) {
  const int allowed = status_of_child([] { return ::unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0; });
  const int had = status_of_child([] { return leave_common_namespaces().network; });
  EXPECT_EQ(had, allowed);
  const int may_mount = status_of_child([] {
    return ::unshare(CLONE_NEWUSER) == 0 && ::unshare(CLONE_NEWNS) == 0 &&
           ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
           ::mount("none", "/proc", "tmpfs", MS_RDONLY, nullptr) == 0;
  });
  const int had_files = status_of_child([] { return leave_common_namespaces().files; });
  EXPECT_EQ(had_files, may_mount);
  // With files in sight, also for a process that was root's.
  const int shows_files = status_of_child([] {
    const char* const readable[] = {"/usr/lib", "/lib", "/etc/hostname"};
    return give_up_root() && leave_common_namespaces(readable).files;
  });
  EXPECT_EQ(shows_files, may_mount);
}

}  // namespace
}  // namespace pleiad::sandbox
