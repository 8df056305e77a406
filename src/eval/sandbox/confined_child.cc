#include "eval/sandbox/confined_child.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>

namespace pleiad::eval {
namespace {

constexpr unsigned kNobody = 65534;
constexpr int kFirstOther = 3;

// Linux 5.9 and 5.11, on every processor; headers that are older do not have them.
constexpr long kCloseRange = 436;
constexpr unsigned kCloseRangeOnExec = 1U << 2;

[[noreturn]] void refuse(const char* why) {
  [[maybe_unused]] const ssize_t n = ::write(STDERR_FILENO, why, std::strlen(why));
  ::_exit(126);
}

/// Never more than what holds already.
void limit(__rlimit_resource_t resource, rlim_t most) {
  rlimit both = {};
  if (::getrlimit(resource, &both) == 0) {
    most = std::min(most, both.rlim_max);
    both = {most, most};
    if (::setrlimit(resource, &both) == 0) return;
  }
  refuse("a limit of resources cannot be set");
}

void set_limits(const SandboxLimits& limits) {
  limit(RLIMIT_AS, limits.memory_bytes);
  limit(RLIMIT_STACK, rlim_t{8} << 20);
  limit(RLIMIT_CPU, static_cast<rlim_t>(limits.seconds) + 1);
  limit(RLIMIT_FSIZE, limits.file_bytes);
  limit(RLIMIT_NOFILE, 64);
  limit(RLIMIT_MEMLOCK, 0);
  limit(RLIMIT_MSGQUEUE, 0);
  // No dump, and (what 0 would not do) no program of the system's that is handed one.
  limit(RLIMIT_CORE, 1);
}

/// By the kernel's calls: the library's want to tell other threads, of which there are none here.
void give_up_root() {
  uid_t real = 0;
  uid_t effective = 0;
  uid_t saved = 0;
  if (::getresuid(&real, &effective, &saved) == 0 && real != 0 && effective != 0 && saved != 0) {
    return;
  }
  if (::syscall(SYS_setgroups, 0, nullptr) != 0 ||
      ::syscall(SYS_setresgid, kNobody, kNobody, kNobody) != 0 ||
      ::syscall(SYS_setresuid, kNobody, kNobody, kNobody) != 0) {
    refuse("root cannot become nobody (uid 65534): run this as another user");
  }
}

/// The kernel's form of an entry of a folder.
struct Entry {
  std::uint64_t inode;
  std::int64_t offset;
  std::uint16_t length;
  std::uint8_t type;
  char name[1];
};

/// The number that a name in /proc/self/fd is; -1 for "." and "..".
int number_of(const char* name) {
  int number = 0;
  for (; *name != '\0'; ++name) {
    if (*name < '0' || *name > '9') return -1;
    number = number * 10 + (*name - '0');
  }
  return number;
}

}  // namespace

bool close_on_exec_one_by_one() {
  const int folder = ::open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return false;
  alignas(Entry) std::array<char, 4096> entries;
  long n = 0;
  while ((n = ::syscall(SYS_getdents64, folder, entries.data(), entries.size())) > 0) {
    for (long at = 0; at < n;) {
      Entry entry;
      std::memcpy(&entry, &entries[static_cast<std::size_t>(at)], offsetof(Entry, name));
      const int fd = number_of(&entries[static_cast<std::size_t>(at) + offsetof(Entry, name)]);
      if (fd >= kFirstOther && ::fcntl(fd, F_SETFD, FD_CLOEXEC) != 0) n = -1;
      if (n < 0) break;
      at += entry.length;
    }
    if (n < 0) break;
  }
  ::close(folder);
  return n == 0;
}

bool close_on_exec() {
  if (::syscall(kCloseRange, kFirstOther, ~0U, kCloseRangeOnExec) == 0) return true;
  return close_on_exec_one_by_one();
}

void become_confined(char* const* argv, const ChildDescriptors& descriptors,
                     const SandboxLimits& limits) {
  ::setsid();
  if (::dup2(descriptors.errors, STDERR_FILENO) < 0) ::_exit(126);
  if (::dup2(descriptors.input, STDIN_FILENO) < 0 ||
      ::dup2(descriptors.output, STDOUT_FILENO) < 0) {
    refuse("the input and outputs cannot be had");
  }
  if (!close_on_exec()) refuse("descriptors cannot be closed");
  for (const int fd : descriptors.kept) {
    if (::fcntl(fd, F_SETFD, 0) != 0) refuse("descriptors cannot be kept");
  }
  set_limits(limits);
  give_up_root();
  char* const no_environment[] = {nullptr};
  ::execve(argv[0], argv, no_environment);
  refuse("bwrap cannot be started");
}

}  // namespace pleiad::eval
