#include "media/helper/confinement.h"

#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>

#include "base/error.h"
#include "sandbox/close_descriptors.h"
#include "sandbox/limits.h"
#include "sandbox/namespaces.h"
#include "sandbox/system_call_rules.h"

namespace pleiad::media {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kShadowMemory = true;
#elif defined(__has_feature)
constexpr bool kShadowMemory = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool kShadowMemory = false;
#endif

constexpr int kFromParent = 0;
constexpr int kToParent = 1;
constexpr int kErrors = 2;

/// Whatever their arguments are.
constexpr int kHarmless[] = {SCMP_SYS(munmap),        SCMP_SYS(mremap),
                             SCMP_SYS(brk),           SCMP_SYS(madvise),
                             SCMP_SYS(exit),          SCMP_SYS(exit_group),
                             SCMP_SYS(rt_sigreturn),  SCMP_SYS(restart_syscall),
                             SCMP_SYS(clock_gettime), SCMP_SYS(gettimeofday),
                             SCMP_SYS(sched_yield),   SCMP_SYS(getpid),
                             SCMP_SYS(gettid),        SCMP_SYS(getrandom),
                             SCMP_SYS(nanosleep),     SCMP_SYS(clock_nanosleep)};

void need(bool had, const char* what) {
  if (!had) throw Error("{}: {}", what, errno_text(errno));
}

void limit_resources(const HelperLimits& limits) {
  const auto limit = [](__rlimit_resource_t resource, rlim_t most) {
    need(sandbox::limit_resource(resource, most), "a limit of resources cannot be set");
  };
  if (!kShadowMemory) limit(RLIMIT_AS, limits.memory_bytes);
  limit(RLIMIT_CPU, limits.cpu_seconds);
  limit(RLIMIT_STACK, rlim_t{8} << 20);
  limit(RLIMIT_NOFILE, 0);
  limit(RLIMIT_FSIZE, 0);
  limit(RLIMIT_NPROC, 0);
  limit(RLIMIT_MEMLOCK, 0);
  limit(RLIMIT_MSGQUEUE, 0);
  need(sandbox::forbid_core_dumps(), "a limit of resources cannot be set");
}

/// What decoding needs, and nothing else exists.
void filter_system_calls() {
  using sandbox::argument_is;
  sandbox::SystemCallRules rules;
  for (const int call : kHarmless) rules.add(SCMP_ACT_ALLOW, call);
  rules.add(SCMP_ACT_ALLOW, SCMP_SYS(read), argument_is(0, kFromParent));
  rules.add(SCMP_ACT_ALLOW, SCMP_SYS(write), argument_is(0, kToParent));
  rules.add(SCMP_ACT_ALLOW, SCMP_SYS(write), argument_is(0, kErrors));
  // Memory that nothing can be executed from.
  rules.add(SCMP_ACT_ALLOW, SCMP_SYS(mmap), argument_is(2, 0, PROT_EXEC));
  rules.add(SCMP_ACT_ALLOW, SCMP_SYS(mprotect), argument_is(2, 0, PROT_EXEC));
  // Of futexes what locks are made of; the rest is deep.
  constexpr std::uint64_t kOptions = FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME;
  for (const int operation : {FUTEX_WAIT, FUTEX_WAKE, FUTEX_WAIT_BITSET, FUTEX_WAKE_BITSET}) {
    rules.add(SCMP_ACT_ALLOW, SCMP_SYS(futex),
              argument_is(1, static_cast<std::uint64_t>(operation), 0xFFFFFFFFULL & ~kOptions));
  }
  rules.apply();
}

}  // namespace

std::string Confinement::text() const {
  constexpr std::string_view kAlways =
      "filter of system calls, limits of memory and time, no descriptors";
  if (own_network && own_files) return fmt::format("{}, empty network and files", kAlways);
  if (own_network)
    return fmt::format("{}, empty network; the system allows no empty files", kAlways);
  return fmt::format("{}; the system allows no namespaces", kAlways);
}

Confinement confine_helper(const HelperLimits& limits) {
  need(sandbox::close_others(), "descriptors cannot be closed");
  sandbox::offer_memory_first();
  // In most containers root may become nobody; where it may not, the filter still leaves it
  // nothing.
  sandbox::give_up_root();
  const sandbox::OwnNamespaces own = sandbox::leave_common_namespaces();
  limit_resources(limits);
  // No other process of the same user may look into this one.
  need(::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0, "memory cannot be kept from other processes");
  filter_system_calls();
  return {own.network, own.files};
}

}  // namespace pleiad::media
