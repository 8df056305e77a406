// A helper as MediaReader starts it, which does what its first argument says: reads pictures, or
// what files of attackers would have a decoder do, or what a helper would say that is none of ours.

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/error.h"
#include "media/helper/messages.h"
#include "media/helper/run_helper.h"

extern char** environ;

namespace pleiad::media {
namespace {

using Bytes = std::span<const std::byte>;

[[noreturn]] void hang() {
  const volatile bool for_ever = true;
  while (for_ever) {
  }
  ::_exit(3);
}

/// Everything that a decoder has no business to do, by the kernel's own calls; names what could be
/// done.
Failure try_to_escape(Bytes) {
  std::string done;
  const auto tried = [&](const char* what, long result) {
    // A call that exists fails for another reason; one that the filter knows nothing of does not.
    if (result >= 0 || (errno != ENOSYS && errno != EPERM)) done += std::string(" ") + what;
  };
  char byte = 0;
  tried("openat", ::syscall(SYS_openat, AT_FDCWD, "/etc/passwd", O_RDONLY));
  tried("openat2", ::syscall(437, AT_FDCWD, "/", nullptr, 0));
  tried("stat", ::syscall(SYS_newfstatat, AT_FDCWD, "/", nullptr, 0));
  tried("socket", ::syscall(SYS_socket, AF_INET, SOCK_STREAM, 0));
  tried("unix socket", ::syscall(SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, nullptr));
  tried("clone", ::syscall(SYS_clone, 0, nullptr, nullptr, nullptr, nullptr));
  tried("thread", ::syscall(SYS_clone, 0x10f00, nullptr, nullptr, nullptr, nullptr));
  tried("clone3", ::syscall(435, nullptr, 0));
  tried("execve", ::syscall(SYS_execve, "/bin/sh", nullptr, nullptr));
  tried("kill", ::syscall(SYS_kill, ::getppid(), 0));
  tried("tgkill", ::syscall(SYS_tgkill, ::getpid(), ::getpid(), 0));
  tried("ptrace", ::syscall(SYS_ptrace, PTRACE_TRACEME, 0, 0, 0));
  tried("process_vm_readv", ::syscall(SYS_process_vm_readv, 1, nullptr, 0, nullptr, 0, 0));
  tried("pidfd_open", ::syscall(434, 1, 0));
  tried("prctl", ::syscall(SYS_prctl, PR_SET_DUMPABLE, 1, 0, 0, 0));
  tried("prlimit", ::syscall(SYS_prlimit64, 0, RLIMIT_AS, nullptr, nullptr));
  tried("unshare", ::syscall(SYS_unshare, 0));
  tried("mount", ::syscall(SYS_mount, "none", "/", "tmpfs", 0, nullptr));
  tried("io_uring", ::syscall(425, 1, nullptr));
  tried("memfd", ::syscall(SYS_memfd_create, "x", 0));
  tried("pipe", ::syscall(SYS_pipe2, nullptr, 0));
  tried("dup", ::syscall(SYS_dup, 0));
  tried("ioctl", ::syscall(SYS_ioctl, 0, 0x541B, nullptr));
  tried("fcntl", ::syscall(SYS_fcntl, 0, F_GETFL, 0));
  tried("bpf", ::syscall(SYS_bpf, 0, nullptr, 0));
  tried("userfaultfd", ::syscall(SYS_userfaultfd, 0));
  tried("futex of priorities", ::syscall(SYS_futex, &byte, 6, 0, nullptr, nullptr, 0));
  tried("read of others", ::syscall(SYS_read, 3, &byte, 1));
  tried("read of the output", ::syscall(SYS_read, 1, &byte, 1));
  tried("write to the input", ::syscall(SYS_write, 0, &byte, 1));
  tried("write to others", ::syscall(SYS_write, 3, &byte, 1));
  tried("code", ::syscall(SYS_mmap, nullptr, 4096, PROT_READ | PROT_EXEC,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  const long page = ::syscall(SYS_mmap, nullptr, 4096, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  tried("code later", ::syscall(SYS_mprotect, page, 4096, PROT_READ | PROT_EXEC));
  tried("not yet known", ::syscall(5000));
  return Failure{"could do:" + done};
}

Failure take_memory(Bytes) {
  std::vector<std::vector<char>> all;
  for (;;) all.emplace_back(std::size_t{8} << 20, 'x');
}

/// Which of these it is, and what it has seen before.
Failure tell_of_itself(Bytes bytes) {
  static int n_seen = 0;
  ++n_seen;
  return Failure{"process " + std::to_string(::getpid()) + " saw " + std::to_string(n_seen) +
                 " of " + std::to_string(bytes.size()) + " bytes, environment " +
                 (environ && *environ ? "there" : "none")};
}

/// The same whatever kind of file it is.
HelperWork with_any_file(std::function<Failure(Bytes)> what) {
  return {[what](Bytes bytes, const auto&, const auto&) { return what(bytes); },
          [what](Bytes bytes, const auto&, const auto&) { return what(bytes); },
          [what](Bytes bytes, const auto&, const auto&) { return what(bytes); }};
}

const std::map<std::string_view, HelperWork> kWork = {
    {"read", {}},
    {"hang", with_any_file([](Bytes) -> Failure { hang(); })},
    {"crash", with_any_file([](Bytes) -> Failure { __builtin_trap(); })},
    {"abort", with_any_file([](Bytes) -> Failure { std::abort(); })},
    {"exit", with_any_file([](Bytes) -> Failure { ::_exit(0); })},
    {"throw", with_any_file([](Bytes) -> Failure { throw Error("lost"); })},
    {"escape", with_any_file(try_to_escape)},
    {"memory", with_any_file(take_memory)},
    {"tell", with_any_file(tell_of_itself)},
    {"controls",
     with_any_file([](Bytes) { return Failure{"is \x1b[31mred\x07\n" + std::string(5000, 'x')}; })},
    {"no text", with_any_file([](Bytes) { return Failure{""}; })},
};

void say(const void* data, std::size_t size) {
  [[maybe_unused]] const ssize_t n = ::write(1, data, size);
}

void say_message(MessageKind kind, std::uint32_t width, std::uint32_t height, std::uint64_t n) {
  Message message;
  message.kind = kind;
  message.original_width = message.width = width;
  message.original_height = message.height = height;
  message.budget = 280;
  message.n_soft_tokens = (width / 48) * (height / 48);
  message.n_bytes = n;
  say(&message, sizeof message);
}

void read_some() {
  char buffer[100];
  [[maybe_unused]] const ssize_t n = ::read(0, buffer, sizeof buffer);
}

/// Helpers that do not keep to what is agreed; each starts ready, unless it is about that.
const std::map<std::string_view, void (*)()> kStrange = {
    {"ends before it is ready", [] {}},
    {"never ready", hang},
    {"talks first", [] { say("Hello, I am no helper of yours, and this is long enough", 55); }},
    {"not confined",
     [] {
       say_message(MessageKind::not_confined, 0, 0, 10);
       say("no \x1b[1mway", 10);
     }},
    {"nonsense",
     [] {
       say_message(MessageKind::ready, 0, 0, 0);
       read_some();
       const std::string noise(1000, '\xA5');
       say(noise.data(), noise.size());
       hang();
     }},
    {"too large",
     [] {
       say_message(MessageKind::ready, 0, 0, 0);
       read_some();
       say_message(MessageKind::picture, 48'000, 48'000, 48'000ULL * 48'000 * 3);
       hang();
     }},
    {"more bytes than pixels",
     [] {
       say_message(MessageKind::ready, 0, 0, 0);
       read_some();
       say_message(MessageKind::picture, 768, 768, ~0ULL);
       hang();
     }},
    {"long text",
     [] {
       say_message(MessageKind::ready, 0, 0, 0);
       read_some();
       say_message(MessageKind::failure, 0, 0, 1ULL << 40);
       hang();
     }},
    {"half",
     [] {
       say_message(MessageKind::ready, 0, 0, 0);
       read_some();
       const std::string few(1000, 'p');
       say_message(MessageKind::picture, 768, 768, 768 * 768 * 3);
       say(few.data(), few.size());
     }},
    {"reads nothing",
     [] {
       say_message(MessageKind::ready, 0, 0, 0);
       hang();
     }},
    {"answers at once",
     [] {
       say_message(MessageKind::ready, 0, 0, 0);
       say_message(MessageKind::failure, 0, 0, 8);
       say("was seen", 8);
       hang();
     }},
};

}  // namespace
}  // namespace pleiad::media

int main(int argc, char** argv) {
  using namespace pleiad::media;
  const std::string_view what = argc > 1 ? argv[1] : "";
  if (const auto strange = kStrange.find(what); strange != kStrange.end()) {
    strange->second();
    ::_exit(0);
  }
  const auto work = kWork.find(what);
  if (work == kWork.end()) ::_exit(2);
  ::_exit(run_helper(helper_task({argv + 1, static_cast<std::size_t>(argc - 1)}), work->second));
}
