#include "sandbox/limits.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

namespace pleiad::sandbox {
namespace {

constexpr unsigned kNobody = 65534;

}  // namespace

bool limit_resource(__rlimit_resource_t resource, rlim_t most) {
  rlimit both = {};
  if (::getrlimit(resource, &both) != 0) return false;
  most = std::min(most, both.rlim_max);
  both = {most, most};
  return ::setrlimit(resource, &both) == 0;
}

bool forbid_core_dumps() { return limit_resource(RLIMIT_CORE, 1); }

void offer_memory_first() {
  const int file = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  [[maybe_unused]] const ssize_t n = ::write(file, "1000", 4);
  ::close(file);
}

/// By the kernel's calls: the library's want to tell other threads, of which there are none here.
bool give_up_root() {
  uid_t real = 0;
  uid_t effective = 0;
  uid_t saved = 0;
  if (::getresuid(&real, &effective, &saved) == 0 && real != 0 && effective != 0 && saved != 0) {
    return true;
  }
  return ::syscall(SYS_setgroups, 0, nullptr) == 0 &&
         ::syscall(SYS_setresgid, kNobody, kNobody, kNobody) == 0 &&
         ::syscall(SYS_setresuid, kNobody, kNobody, kNobody) == 0;
}

}  // namespace pleiad::sandbox
