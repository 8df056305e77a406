#include "eval/sandbox/system_call_filter.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <cerrno>
#include <cstdint>

#include "sandbox/system_call_rules.h"

namespace pleiad::eval {
namespace {

// Whatever their arguments are. Those that an architecture does not have are negative there.
constexpr int kAllowed[] = {
    // Files; which ones there are is bwrap's matter.
    SCMP_SYS(read), SCMP_SYS(write), SCMP_SYS(readv), SCMP_SYS(writev), SCMP_SYS(pread64),
    SCMP_SYS(pwrite64), SCMP_SYS(preadv), SCMP_SYS(pwritev), SCMP_SYS(lseek), SCMP_SYS(open),
    SCMP_SYS(openat), SCMP_SYS(creat), SCMP_SYS(close), SCMP_SYS(close_range), SCMP_SYS(dup),
    SCMP_SYS(dup2), SCMP_SYS(dup3), SCMP_SYS(stat), SCMP_SYS(fstat), SCMP_SYS(lstat),
    SCMP_SYS(newfstatat), SCMP_SYS(statx), SCMP_SYS(statfs), SCMP_SYS(fstatfs), SCMP_SYS(access),
    SCMP_SYS(faccessat), SCMP_SYS(faccessat2), SCMP_SYS(readlink), SCMP_SYS(readlinkat),
    SCMP_SYS(getdents), SCMP_SYS(getdents64), SCMP_SYS(getcwd), SCMP_SYS(chdir), SCMP_SYS(fchdir),
    SCMP_SYS(mkdir), SCMP_SYS(mkdirat), SCMP_SYS(rmdir), SCMP_SYS(unlink), SCMP_SYS(unlinkat),
    SCMP_SYS(rename), SCMP_SYS(renameat), SCMP_SYS(renameat2), SCMP_SYS(link), SCMP_SYS(linkat),
    SCMP_SYS(symlink), SCMP_SYS(symlinkat), SCMP_SYS(truncate), SCMP_SYS(ftruncate),
    SCMP_SYS(chmod), SCMP_SYS(fchmod), SCMP_SYS(fchmodat), SCMP_SYS(utimensat), SCMP_SYS(umask),
    SCMP_SYS(fsync), SCMP_SYS(fdatasync), SCMP_SYS(flock), SCMP_SYS(sendfile),
    SCMP_SYS(copy_file_range), SCMP_SYS(fadvise64), SCMP_SYS(pipe), SCMP_SYS(pipe2), SCMP_SYS(poll),
    SCMP_SYS(ppoll), SCMP_SYS(select), SCMP_SYS(pselect6),
    // Memory.
    SCMP_SYS(brk), SCMP_SYS(mmap), SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(mprotect),
    SCMP_SYS(madvise),
    // Threads, and the end. bwrap starts Python and waits for it under this filter.
    SCMP_SYS(execve), SCMP_SYS(wait4), SCMP_SYS(exit), SCMP_SYS(exit_group), SCMP_SYS(futex),
    SCMP_SYS(set_robust_list), SCMP_SYS(set_tid_address), SCMP_SYS(rseq), SCMP_SYS(arch_prctl),
    SCMP_SYS(sched_yield), SCMP_SYS(sched_getaffinity), SCMP_SYS(restart_syscall),
    // Time and signals.
    SCMP_SYS(clock_gettime), SCMP_SYS(clock_getres), SCMP_SYS(clock_nanosleep), SCMP_SYS(nanosleep),
    SCMP_SYS(gettimeofday), SCMP_SYS(time), SCMP_SYS(times), SCMP_SYS(getitimer),
    SCMP_SYS(setitimer), SCMP_SYS(alarm), SCMP_SYS(pause), SCMP_SYS(rt_sigaction),
    SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn), SCMP_SYS(rt_sigpending),
    SCMP_SYS(rt_sigsuspend), SCMP_SYS(rt_sigtimedwait), SCMP_SYS(sigaltstack), SCMP_SYS(kill),
    SCMP_SYS(tkill), SCMP_SYS(tgkill),
    // What it is and where.
    SCMP_SYS(getpid), SCMP_SYS(getppid), SCMP_SYS(gettid), SCMP_SYS(getpgid), SCMP_SYS(getpgrp),
    SCMP_SYS(getsid), SCMP_SYS(getuid), SCMP_SYS(geteuid), SCMP_SYS(getgid), SCMP_SYS(getegid),
    SCMP_SYS(getresuid), SCMP_SYS(getresgid), SCMP_SYS(getgroups), SCMP_SYS(getrlimit),
    SCMP_SYS(getrusage), SCMP_SYS(sysinfo), SCMP_SYS(uname), SCMP_SYS(getrandom)};

// What a program may well try: PermissionError says more than a function that is not implemented.
constexpr int kRefused[] = {
    SCMP_SYS(fork),    SCMP_SYS(vfork),  SCMP_SYS(socket),   SCMP_SYS(socketpair),
    SCMP_SYS(ptrace),  SCMP_SYS(mount),  SCMP_SYS(umount2),  SCMP_SYS(chroot),
    SCMP_SYS(unshare), SCMP_SYS(setns),  SCMP_SYS(setuid),   SCMP_SYS(setgid),
    SCMP_SYS(chown),   SCMP_SYS(fchown), SCMP_SYS(fchownat), SCMP_SYS(setpriority)};

constexpr std::uint64_t kIsThread =
    CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD;
constexpr std::uint64_t kThreadMayHave = CLONE_SYSVSEM | CLONE_SETTLS | CLONE_PARENT_SETTID |
                                         CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | CLONE_DETACHED;

constexpr std::uint64_t kTcgets2 = 0x802c542a;  // its header cannot stand beside the library's
constexpr std::uint64_t kIoctls[] = {TCGETS,   kTcgets2, TIOCGWINSZ, FIOCLEX,
                                     FIONCLEX, FIONBIO,  FIONREAD};
constexpr std::uint64_t kFcntls[] = {F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD,  F_SETFD, F_GETFL,
                                     F_SETFL, F_GETLK,         F_SETLKW, F_SETLK};
constexpr std::uint64_t kNameMemory = 0x53564d41;  // PR_SET_VMA of Linux 5.17
constexpr std::uint64_t kPrctls[] = {PR_SET_NAME, PR_GET_NAME, kNameMemory};

}  // namespace

std::string system_call_filter() {
  constexpr std::uint32_t kRefuse = SCMP_ACT_ERRNO(EPERM);
  using sandbox::argument_is;
  sandbox::SystemCallRules rules;
  for (const int call : kAllowed) rules.add(SCMP_ACT_ALLOW, call);
  for (const int call : kRefused) rules.add(kRefuse, call);
  for (const std::uint64_t request : kIoctls) {
    rules.add(SCMP_ACT_ALLOW, SCMP_SYS(ioctl), argument_is(1, request));
  }
  for (const std::uint64_t command : kFcntls) {
    rules.add(SCMP_ACT_ALLOW, SCMP_SYS(fcntl), argument_is(1, command));
  }
  for (const std::uint64_t option : kPrctls) {
    rules.add(SCMP_ACT_ALLOW, SCMP_SYS(prctl), argument_is(0, option));
  }
  // Of clone, threads alone; of clone3, whose flags lie in memory, nothing: the library then
  // goes back to clone.
  rules.add(SCMP_ACT_ALLOW, SCMP_SYS(clone), argument_is(0, kIsThread, ~kThreadMayHave));
  rules.add(kRefuse, SCMP_SYS(clone), argument_is(0, 0, CLONE_THREAD));
  // Limits are read, and that of threads is set (by what runs before the program).
  rules.add(SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), argument_is(2, 0));
  rules.add(SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), argument_is(1, RLIMIT_NPROC));
  return rules.compiled();
}

}  // namespace pleiad::eval
