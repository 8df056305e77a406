#include "sandbox/namespaces.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>

namespace pleiad::sandbox {
namespace {

// What nothing mounts on below; whoever started this by /proc/self/exe has it.
constexpr const char* kPlace = "/proc";

/// The flags that a mount has, as mount() wants them: what a namespace inherits may not be lost.
unsigned long flags_of(const char* path) {
  struct statvfs system = {};
  if (::statvfs(path, &system) != 0) return 0;
  unsigned long flags = 0;
  if (system.f_flag & ST_NODEV) flags |= MS_NODEV;
  if (system.f_flag & ST_NOEXEC) flags |= MS_NOEXEC;
  if (system.f_flag & ST_NOATIME) flags |= MS_NOATIME;
  if (system.f_flag & ST_NODIRATIME) flags |= MS_NODIRATIME;
  if (system.f_flag & ST_RELATIME) flags |= MS_RELATIME;
  return flags;
}

/// Makes the folders that lead to `path`, and what is to be mounted on there.
bool make_place(const std::string& path, bool is_folder) {
  for (std::size_t at = path.find('/', 1); at != std::string::npos; at = path.find('/', at + 1)) {
    if (::mkdir(path.substr(0, at).c_str(), 0755) != 0 && errno != EEXIST) return false;
  }
  if (is_folder) return ::mkdir(path.c_str(), 0755) == 0 || errno == EEXIST;
  return ::mknod(path.c_str(), S_IFREG | 0444, 0) == 0 || errno == EEXIST;
}

/// Shows it below kPlace too, with nothing mounted on it and read-only.
bool show(const char* path) {
  struct stat status = {};
  if (::stat(path, &status) != 0) return true;
  const std::string place = std::string(kPlace) + path;
  constexpr unsigned long kReadOnly = MS_BIND | MS_REMOUNT | MS_RDONLY | MS_NOSUID;
  if (!make_place(place, S_ISDIR(status.st_mode))) return false;
  // A folder with mounts below it that this namespace inherits is shown with them or not at all.
  if (::mount(path, place.c_str(), nullptr, MS_BIND, nullptr) != 0 &&
      ::mount(path, place.c_str(), nullptr, MS_BIND | MS_REC, nullptr) != 0) {
    return false;
  }
  return ::mount(nullptr, place.c_str(), nullptr, kReadOnly | flags_of(place.c_str()), nullptr) ==
         0;
}

/// Replaces the root of files by one with these alone; false where the old one may still be
/// reached.
bool leave_files(std::span<const char* const> readable) {
  constexpr unsigned long kNothing = MS_NOSUID | MS_NODEV | MS_NOEXEC;
  if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      ::mount("none", kPlace, "tmpfs", kNothing, "size=64k,nr_inodes=200,mode=0555") != 0) {
    return false;
  }
  for (const char* path : readable) {
    if (!show(path)) return false;
  }
  if (::mount(nullptr, kPlace, nullptr, MS_REMOUNT | MS_RDONLY | kNothing, nullptr) != 0 ||
      ::chdir(kPlace) != 0) {
    return false;
  }
  if (::syscall(SYS_pivot_root, ".", ".") == 0) return ::umount2(".", MNT_DETACH) == 0;
  return ::chroot(".") == 0 && ::chdir("/") == 0;
}

void write_once(const char* path, std::string_view text) {
  const int file = ::open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  [[maybe_unused]] const ssize_t n = ::write(file, text.data(), text.size());
  ::close(file);
}

/// Who this process is within its user namespace: the same. Nobody else can be named there, and
/// whoever is nobody there can make no folder to mount on.
void keep_identity(uid_t user, gid_t group) {
  // A process that was root's owns its own files in /proc again.
  const int was_dumpable = ::prctl(PR_GET_DUMPABLE, 0, 0, 0, 0);
  ::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
  write_once("/proc/self/setgroups", "deny");
  write_once("/proc/self/uid_map", std::to_string(user) + ' ' + std::to_string(user) + " 1");
  write_once("/proc/self/gid_map", std::to_string(group) + ' ' + std::to_string(group) + " 1");
  if (was_dumpable == 0) ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

/// Of the user namespace's root nothing is left.
void drop_capabilities() {
  __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {};
  ::syscall(SYS_capset, &header, none);
}

}  // namespace

OwnNamespaces leave_common_namespaces(std::span<const char* const> readable) {
  OwnNamespaces own;
  constexpr int kOthers = CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;
  const uid_t user = ::geteuid();
  const gid_t group = ::getegid();
  if (::unshare(CLONE_NEWUSER) == 0) {
    keep_identity(user, group);
    own.network = ::unshare(kOthers) == 0;
    own.files = ::unshare(CLONE_NEWNS) == 0 && leave_files(readable);
  }
  drop_capabilities();
  return own;
}

}  // namespace pleiad::sandbox
