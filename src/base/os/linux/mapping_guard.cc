#include "base/mapping_guard.h"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <mutex>

#include "base/check.h"

namespace pleiad {

/// A mapping as the handler sees it. Objects are linked once, used again, and never freed: the
/// handler may look at any of them at any time.
struct GuardedRange {
  // Odd while begin and size change: then nobody reads the mapping, so the handler passes over it.
  std::atomic<std::uint64_t> version = 0;
  std::atomic<std::uintptr_t> begin = 0;
  std::atomic<std::size_t> size = 0;  // 0: not in use
  std::atomic<bool> lost = false;
  GuardedRange* next = nullptr;

  void set(std::uintptr_t new_begin, std::size_t new_size) {
    version.fetch_add(1);
    begin = new_begin;
    size = new_size;
    version.fetch_add(1);
  }
};

namespace {

// A handler of signals has no arguments of ours: what it needs is here.
constinit std::atomic<GuardedRange*> g_ranges = nullptr;
constinit std::mutex g_change;  // of the list, not for the handler
std::uintptr_t g_page = 0;
struct sigaction g_before = {};

static_assert(std::atomic<std::uintptr_t>::is_always_lock_free);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

/// True once there are zeros at an address of a guarded range. Safe in a handler.
bool put_zeros(std::uintptr_t address) {
  for (GuardedRange* range = g_ranges; range != nullptr; range = range->next) {
    const std::uint64_t version = range->version;
    const std::uintptr_t begin = range->begin;
    const std::size_t size = range->size;
    if (version % 2 != 0 || version != range->version) continue;
    if (address < begin || address - begin >= size) continue;
    // First: who reads a zero finds that it is none of the file's.
    range->lost = true;
    const std::uintptr_t page = address / g_page * g_page;
    // To the end: a file that was cut off would fault at each of its pages.
    void* place = ::mmap(reinterpret_cast<void*>(page), begin + size - page, PROT_READ,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
    return place != MAP_FAILED;
  }
  return false;
}

void pass_on(int signal, siginfo_t* info, void* context) {
  if ((g_before.sa_flags & SA_SIGINFO) != 0) return g_before.sa_sigaction(signal, info, context);
  if (g_before.sa_handler != SIG_DFL && g_before.sa_handler != SIG_IGN) {
    return g_before.sa_handler(signal);
  }
  const bool is_sent = info->si_code <= 0;  // by a process, not by a fault
  if (is_sent && g_before.sa_handler == SIG_IGN) return;
  // The faulting instruction runs again, and the process ends as it would have.
  std::signal(signal, SIG_DFL);
  if (is_sent) ::raise(signal);
}

void on_bus_error(int signal, siginfo_t* info, void* context) {
  const int before = errno;
  const bool is_ours =
      info->si_code > 0 && put_zeros(reinterpret_cast<std::uintptr_t>(info->si_addr));
  if (!is_ours) pass_on(signal, info, context);
  errno = before;
}

void install_handler() {
  g_page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  struct sigaction action = {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  CHECK(::sigaction(SIGBUS, &action, &g_before) == 0, "errno {}", errno);
}

}  // namespace

MappingGuard::MappingGuard(std::span<const std::byte> mapping) {
  const std::lock_guard lock(g_change);
  if (g_page == 0) install_handler();
  range_ = g_ranges;
  while (range_ != nullptr && range_->size != 0) range_ = range_->next;
  if (range_ == nullptr) {
    range_ = new GuardedRange;
    range_->next = g_ranges;
    g_ranges = range_;
  }
  range_->lost = false;
  range_->set(reinterpret_cast<std::uintptr_t>(mapping.data()), mapping.size());
}

MappingGuard::~MappingGuard() {
  const std::lock_guard lock(g_change);
  range_->set(0, 0);
}

bool MappingGuard::lost() const { return range_->lost; }

}  // namespace pleiad
