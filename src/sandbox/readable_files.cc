#include "sandbox/readable_files.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace pleiad::sandbox {
namespace {

// Landlock's calls and numbers (Linux 5.13, on every processor); headers that are older do not have
// them.
constexpr long kCreateRuleset = 444;
constexpr long kAddRule = 445;
constexpr long kRestrictSelf = 446;
constexpr unsigned kAskVersion = 1;
constexpr int kPathBeneath = 1;

constexpr std::uint64_t kReadFile = 1 << 2;
constexpr std::uint64_t kReadFolder = 1 << 3;
/// All rights of the first version but that to execute, which is a matter of system calls:
/// writing, reading, removing and making of every kind.
constexpr std::uint64_t kFirstVersion = ((1 << 13) - 1) & ~std::uint64_t{1};
constexpr std::uint64_t kRefer = 1 << 13;     // version 2: to move and to link between folders
constexpr std::uint64_t kTruncate = 1 << 14;  // version 3

struct Ruleset {
  std::uint64_t handled;
};

struct __attribute__((packed)) Rule {
  std::uint64_t allowed;
  std::int32_t fd;
};

bool add_rule_for(int ruleset, int fd, bool is_folder) {
  const Rule rule = {is_folder ? kReadFile | kReadFolder : kReadFile, fd};
  return ::syscall(kAddRule, ruleset, kPathBeneath, &rule, 0) == 0;
}

bool add_path(int ruleset, const char* path) {
  const int fd = ::open(path, O_PATH | O_CLOEXEC);
  if (fd < 0) return true;
  struct stat status = {};
  const bool added =
      ::fstat(fd, &status) == 0 && add_rule_for(ruleset, fd, S_ISDIR(status.st_mode));
  ::close(fd);
  return added;
}

bool restrict_to(int ruleset, std::span<const char* const> paths, int also) {
  for (const char* path : paths) {
    if (!add_path(ruleset, path)) return false;
  }
  if (also >= 0 && !add_rule_for(ruleset, also, false)) return false;
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::syscall(kRestrictSelf, ruleset, 0) == 0;
}

}  // namespace

bool allow_reading_only(std::span<const char* const> paths, int also) {
  const long version = ::syscall(kCreateRuleset, nullptr, 0, kAskVersion);
  if (version < 1) return false;
  const Ruleset rules = {kFirstVersion | (version >= 2 ? kRefer : 0) |
                         (version >= 3 ? kTruncate : 0)};
  const long ruleset = ::syscall(kCreateRuleset, &rules, sizeof rules, 0);
  if (ruleset < 0) return false;
  const bool restricted = restrict_to(static_cast<int>(ruleset), paths, also);
  ::close(static_cast<int>(ruleset));
  return restricted;
}

}  // namespace pleiad::sandbox
