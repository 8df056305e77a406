#include "media/documents/process/become_program.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "base/error.h"
#include "sandbox/close_descriptors.h"
#include "sandbox/limits.h"
#include "sandbox/namespaces.h"
#include "sandbox/readable_files.h"
#include "sandbox/system_call_rules.h"

namespace pleiad::media {
namespace {

/// What the loader, fontconfig and poppler read.
constexpr const char* kReadable[] = {"/lib",
                                     "/lib64",
                                     "/usr/lib",
                                     "/usr/lib64",
                                     "/usr/share/fonts",
                                     "/usr/share/fontconfig",
                                     "/usr/share/poppler",
                                     "/usr/local/share/fonts",
                                     "/etc/fonts",
                                     "/etc/ld.so.cache",
                                     "/var/cache/fontconfig"};

constexpr int kProgramOutput = 1;
constexpr int kProgramErrors = 2;
/// Descriptors above the limit are there as long as they are open, and never again: so the program
/// can be executed once.
constexpr int kMaxDescriptors = 64;
constexpr int kProgram = 100;
static_assert(kProgram >= kMaxDescriptors);

/// Whatever their arguments are.
constexpr int kProgramCalls[] = {
    // Files that are open; which ones can be is a matter of openat's flags and of the file system.
    SCMP_SYS(read), SCMP_SYS(readv), SCMP_SYS(pread64), SCMP_SYS(lseek), SCMP_SYS(close),
    SCMP_SYS(fstat), SCMP_SYS(stat), SCMP_SYS(lstat), SCMP_SYS(newfstatat), SCMP_SYS(statx),
    SCMP_SYS(statfs), SCMP_SYS(fstatfs), SCMP_SYS(access), SCMP_SYS(faccessat),
    SCMP_SYS(faccessat2), SCMP_SYS(readlink), SCMP_SYS(readlinkat), SCMP_SYS(getdents64),
    SCMP_SYS(getcwd), SCMP_SYS(fadvise64),
    // Memory.
    SCMP_SYS(brk), SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(madvise),
    // The only thread, and the end.
    SCMP_SYS(exit), SCMP_SYS(exit_group), SCMP_SYS(set_tid_address), SCMP_SYS(set_robust_list),
    SCMP_SYS(rseq), SCMP_SYS(arch_prctl), SCMP_SYS(sched_yield), SCMP_SYS(sched_getaffinity),
    SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn),
    SCMP_SYS(restart_syscall),
    // Time, and what it is.
    SCMP_SYS(clock_gettime), SCMP_SYS(clock_getres), SCMP_SYS(gettimeofday), SCMP_SYS(time),
    SCMP_SYS(getrandom), SCMP_SYS(sysinfo), SCMP_SYS(uname), SCMP_SYS(getpid), SCMP_SYS(gettid),
    SCMP_SYS(getuid), SCMP_SYS(geteuid), SCMP_SYS(getgid), SCMP_SYS(getegid)};

void require_had(bool had, const char* what) {
  if (!had) throw Error("{}: {}", what, errno_text(errno));
}

void limit_program(const ProgramLimits& limits) {
  const auto limit = [](__rlimit_resource_t resource, rlim_t most) {
    require_had(sandbox::limit_resource(resource, most), "a limit of resources cannot be set");
  };
  limit(RLIMIT_CPU, limits.cpu_seconds);
  limit(RLIMIT_STACK, rlim_t{8} << 20);
  limit(RLIMIT_NOFILE, kMaxDescriptors);
  limit(RLIMIT_FSIZE, 0);
  limit(RLIMIT_NPROC, 0);
  limit(RLIMIT_MEMLOCK, 0);
  limit(RLIMIT_MSGQUEUE, 0);
  require_had(sandbox::forbid_core_dumps(), "a limit of resources cannot be set");
  limit(RLIMIT_AS, limits.memory_bytes);
}

sandbox::SystemCallRules rules_of_program() {
  using sandbox::argument_is;
  sandbox::SystemCallRules rules;
  for (const int call : kProgramCalls) rules.add(SCMP_ACT_ALLOW, call);
  // Files are opened to be read: no access mode but O_RDONLY, nothing created, nothing cut.
  constexpr std::uint64_t kChanges = O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND | O_PATH;
  rules.add(SCMP_ACT_ALLOW, SCMP_SYS(open), argument_is(1, 0, kChanges));
  rules.add(SCMP_ACT_ALLOW, SCMP_SYS(openat), argument_is(2, 0, kChanges));
  for (const std::uint64_t output : {kProgramOutput, kProgramErrors}) {
    rules.add(SCMP_ACT_ALLOW, SCMP_SYS(write), argument_is(0, output));
    rules.add(SCMP_ACT_ALLOW, SCMP_SYS(writev), argument_is(0, output));
  }
  for (const std::uint64_t command : {F_GETFD, F_SETFD, F_GETFL}) {
    rules.add(SCMP_ACT_ALLOW, SCMP_SYS(fcntl), argument_is(1, command));
  }
  // Code comes from files that were opened, as the loader maps it, and from nowhere else.
  rules.add(SCMP_ACT_ALLOW, SCMP_SYS(mmap), argument_is(2, 0, PROT_EXEC));
  rules.add(SCMP_ACT_ALLOW, SCMP_SYS(mmap), argument_is(2, PROT_READ | PROT_EXEC),
            argument_is(3, 0, MAP_ANONYMOUS), scmp_arg_cmp{4, SCMP_CMP_GT, kProgramErrors, 0});
  rules.add(SCMP_ACT_ALLOW, SCMP_SYS(mprotect), argument_is(2, 0, PROT_EXEC));
  constexpr std::uint64_t kOptions = FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME;
  for (const int operation : {FUTEX_WAIT, FUTEX_WAKE, FUTEX_WAIT_BITSET, FUTEX_WAKE_BITSET}) {
    rules.add(SCMP_ACT_ALLOW, SCMP_SYS(futex),
              argument_is(1, static_cast<std::uint64_t>(operation), 0xFFFFFFFFULL & ~kOptions));
  }
  // Limits are read.
  rules.add(SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), argument_is(2, 0));
  rules.add(SCMP_ACT_ALLOW, SCMP_SYS(getrlimit));
  // Once: the descriptor is closed by it.
  rules.add(SCMP_ACT_ALLOW, SCMP_SYS(execveat), argument_is(0, kProgram),
            argument_is(4, AT_EMPTY_PATH));
  return rules;
}

void open_program(const char* path) {
  const int program = ::open(path, O_PATH | O_CLOEXEC);
  if (program < 0) throw Error("{} cannot be opened: {}", path, errno_text(errno));
  require_had(::dup3(program, kProgram, O_CLOEXEC) == kProgram, "a descriptor cannot be had");
  ::close(program);
}

}  // namespace

unsigned ProgramConfinement::bits() const {
  return (own_network ? 1U : 0U) | (own_files ? 2U : 0U) | (readable_only ? 4U : 0U);
}

ProgramConfinement ProgramConfinement::from_bits(unsigned bits) {
  return {(bits & 1U) != 0, (bits & 2U) != 0, (bits & 4U) != 0};
}

std::string ProgramConfinement::text() const {
  std::string files = own_files ? "a file system of libraries and fonts alone" : "";
  if (readable_only) files += files.empty() ? "Landlock" : " and Landlock";
  return fmt::format("filter of system calls, limits of memory and time, no descriptors, {}{}",
                     files, own_network ? ", empty network" : "");
}

void become_program(std::span<const char* const> words, const ProgramLimits& limits,
                    void (*announce)(const ProgramConfinement&)) {
  if (words.empty()) throw Error("expected the path of a program, found nothing");
  require_had(sandbox::close_others(), "descriptors cannot be closed");
  open_program(words[0]);
  sandbox::offer_memory_first();
  sandbox::give_up_root();
  const sandbox::SystemCallRules rules = rules_of_program();
  const sandbox::OwnNamespaces own = sandbox::leave_common_namespaces(kReadable);
  const ProgramConfinement had = {own.network, own.files,
                                  sandbox::allow_reading_only(kReadable, kProgram)};
  if (!had.own_files && !had.readable_only) {
    throw Error(
        "the system allows neither user namespaces nor Landlock, which would keep files from it");
  }
  announce(had);
  std::vector<char*> argv;
  for (const char* word : words) argv.push_back(const_cast<char*>(word));
  argv.push_back(nullptr);
  char* const no_environment[] = {nullptr};
  limit_program(limits);
  rules.apply();
  ::syscall(SYS_execveat, kProgram, "", argv.data(), no_environment, AT_EMPTY_PATH);
  throw Error("{} cannot be executed: {}", words[0], errno_text(errno));
}

}  // namespace pleiad::media
