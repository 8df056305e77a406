#include "sandbox/close_descriptors.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace pleiad::sandbox {
namespace {

constexpr int kFirstOther = 3;

// Linux 5.9 and 5.11, on every processor; headers that are older do not have them.
constexpr long kCloseRange = 436;
constexpr unsigned kCloseRangeOnExec = 1U << 2;

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

/// Does it to each descriptor above 2 but that of the list itself; false where one cannot be had.
/// Allocates nothing.
template <typename Act>
bool for_each_other(const Act& act) {
  const int folder = ::open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return false;
  alignas(Entry) std::array<char, 4096> entries;
  long n = 0;
  while ((n = ::syscall(SYS_getdents64, folder, entries.data(), entries.size())) > 0) {
    for (long at = 0; at < n;) {
      Entry entry;
      std::memcpy(&entry, &entries[static_cast<std::size_t>(at)], offsetof(Entry, name));
      const int fd = number_of(&entries[static_cast<std::size_t>(at) + offsetof(Entry, name)]);
      if (fd >= kFirstOther && fd != folder && !act(fd)) n = -1;
      if (n < 0) break;
      at += entry.length;
    }
    if (n < 0) break;
  }
  ::close(folder);
  return n == 0;
}

}  // namespace

bool close_on_exec_one_by_one() {
  return for_each_other([](int fd) { return ::fcntl(fd, F_SETFD, FD_CLOEXEC) == 0; });
}

bool close_on_exec() {
  if (::syscall(kCloseRange, kFirstOther, ~0U, kCloseRangeOnExec) == 0) return true;
  return close_on_exec_one_by_one();
}

bool close_others_one_by_one() {
  return for_each_other([](int fd) { return ::close(fd) == 0; });
}

bool close_others() {
  return ::syscall(kCloseRange, kFirstOther, ~0U, 0U) == 0 || close_others_one_by_one();
}

}  // namespace pleiad::sandbox
