#include "sandbox/namespaces.h"

#include <linux/capability.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace pleiad::sandbox {
namespace {

/// Replaces the root of files by an empty one; false where the old one may still be reached.
bool leave_files() {
  // What nothing mounts on below; whoever started this by /proc/self/exe has it.
  constexpr const char* kPlace = "/proc";
  constexpr unsigned long kNothing = MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC;
  if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      ::mount("none", kPlace, "tmpfs", kNothing, "size=4k,nr_inodes=1,mode=0555") != 0 ||
      ::chdir(kPlace) != 0) {
    return false;
  }
  if (::syscall(SYS_pivot_root, ".", ".") == 0) return ::umount2(".", MNT_DETACH) == 0;
  return ::chroot(".") == 0 && ::chdir("/") == 0;
}

/// Of the user namespace's root nothing is left.
void drop_capabilities() {
  __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {};
  ::syscall(SYS_capset, &header, none);
}

}  // namespace

OwnNamespaces leave_common_namespaces() {
  OwnNamespaces own;
  constexpr int kOthers = CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;
  if (::unshare(CLONE_NEWUSER) == 0) {
    own.network = ::unshare(kOthers) == 0;
    own.files = ::unshare(CLONE_NEWNS) == 0 && leave_files();
  }
  drop_capabilities();
  return own;
}

}  // namespace pleiad::sandbox
