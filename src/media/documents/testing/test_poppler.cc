// Stands in for pdfinfo, pdftotext and pdftoppm, by whose names it is called, and does what the
// first line of the document says behind "%PDF-": what such a program does that is taken over, or
// that a document makes crash, hang or write without end.

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

extern char** environ;

namespace {

void say(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

[[noreturn]] void hang() {
  const volatile bool for_ever = true;
  while (for_ever) {
  }
  ::_exit(3);
}

[[noreturn]] void flood(int fd) {
  const std::string much(1 << 20, 'x');
  for (;;) say(fd, much);
}

/// Everything that a program that reads PDF has no business to do; names what could be done.
std::string escapes() {
  std::string done;
  const auto tried = [&](const char* what, long result) {
    if (result >= 0) done += std::string(" ") + what;
  };
  char byte = 0;
  for (const char* path :
       {"/etc/passwd", "/etc/shadow", "/etc/hostname", "/proc/self/status", "/proc/self/environ",
        "/root", "/home", "/tmp", "/usr/bin/sh", "/dev/null", "/sys"}) {
    tried(path, ::syscall(SYS_openat, AT_FDCWD, path, O_RDONLY));
  }
  tried("write", ::syscall(SYS_openat, AT_FDCWD, "/usr/lib/x", O_WRONLY | O_CREAT, 0600));
  tried("write a font",
        ::syscall(SYS_openat, AT_FDCWD, "/usr/share/fonts/x", O_RDWR | O_CREAT, 0600));
  tried("path", ::syscall(SYS_openat, AT_FDCWD, "/usr/lib", O_PATH));
  tried("openat2", ::syscall(437, AT_FDCWD, "/usr/lib", nullptr, 24));
  tried("unlink", ::syscall(SYS_unlinkat, AT_FDCWD, "/usr/lib/x", 0));
  tried("mkdir", ::syscall(SYS_mkdirat, AT_FDCWD, "/tmp/x", 0700));
  tried("memfd", ::syscall(SYS_memfd_create, "x", 0));
  tried("socket", ::syscall(SYS_socket, AF_INET, SOCK_STREAM, 0));
  tried("unix socket", ::syscall(SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, nullptr));
  tried("fork", ::syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr));
  tried("thread", ::syscall(SYS_clone, 0x10f00, nullptr, nullptr, nullptr, nullptr));
  tried("clone3", ::syscall(435, nullptr, 0));
  char* const argv[] = {nullptr};
  tried("execve",
        ::syscall(SYS_execve, "/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2", argv, argv));
  tried("execveat", ::syscall(SYS_execveat, 0, "", argv, argv, AT_EMPTY_PATH));
  tried("execveat again", ::syscall(SYS_execveat, 100, "", argv, argv, AT_EMPTY_PATH));
  tried("dup to the program's place", ::syscall(SYS_dup3, 0, 100, O_CLOEXEC));
  tried("fcntl dup", ::syscall(SYS_fcntl, 0, F_DUPFD, 100));
  tried("kill", ::syscall(SYS_kill, ::getpid(), 0));
  tried("ptrace", ::syscall(SYS_ptrace, PTRACE_TRACEME, 0, 0, 0));
  tried("process_vm_readv", ::syscall(SYS_process_vm_readv, ::getpid(), nullptr, 0, nullptr, 0, 0));
  tried("prctl", ::syscall(SYS_prctl, PR_SET_DUMPABLE, 1, 0, 0, 0));
  rlimit most = {RLIM_INFINITY, RLIM_INFINITY};
  tried("prlimit", ::syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, &most, nullptr));
  tried("unshare", ::syscall(SYS_unshare, 0));
  tried("mount", ::syscall(SYS_mount, "none", "/", "tmpfs", 0, nullptr));
  tried("io_uring", ::syscall(425, 1, nullptr));
  tried("bpf", ::syscall(SYS_bpf, 0, nullptr, 0));
  tried("userfaultfd", ::syscall(SYS_userfaultfd, 0));
  tried("read of others", ::syscall(SYS_read, 3, &byte, 1));
  tried("write to the input", ::syscall(SYS_write, 0, &byte, 1));
  const auto map = [](int protection, int flags, int fd) {
    return ::syscall(SYS_mmap, nullptr, 4096, protection, flags, fd, 0);
  };
  tried("code", map(PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1));
  tried("code of the document", map(PROT_READ | PROT_EXEC, MAP_PRIVATE, 0));
  const long page = map(PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  tried("code later", ::syscall(SYS_mprotect, page, 4096, PROT_READ | PROT_EXEC));
  if (environ && *environ) done += " environment";
  if (::geteuid() == 0) done += " root";
  return done;
}

/// What the three say of a document of one page, where nothing is wrong.
void answer(std::string_view name, std::string_view text) {
  if (name == "pdfinfo") say(1, "Pages: 1\nPage    1 size: 100 x 100 pts\n");
  if (name == "pdftotext") say(1, std::string(text) + "\f");
  if (name == "pdftoppm") say(1, "P6\n1024 1024\n255\n");
}

}  // namespace

int main(int, char** argv) {
  const std::string name = std::filesystem::path(argv[0]).filename();
  std::string document(4096, '\0');
  const ssize_t n = ::read(0, document.data(), document.size());
  document.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  const std::string what = document.substr(5, document.find('\n') - 5);
  if (what == "crash") __builtin_trap();
  if (what == "hang") hang();
  if (what == "killed") ::raise(SIGKILL) == 0 ? hang() : static_cast<void>(0);
  if (what == "closes and hangs") {
    ::close(1);
    ::close(2);
    hang();
  }
  if (what == "flood") flood(1);
  if (what == "flood of errors") {
    const std::string much(1 << 20, 'e');
    for (int i = 0; i < 8; ++i) say(2, much);
  }
  if (what == "memory") {
    std::vector<std::string> all;
    for (;;) all.emplace_back(8 << 20, 'x');
  }
  if (what == "no pages told") return 0;
  if (what == "status") {
    say(2, "Syntax Error: \x1b[31mred\x07\nsecond line\n");
    return 3;
  }
  if (what == "lies" && name == "pdfinfo") {
    say(1,
        "Title: x\nPages: 7\nPages: 1\nPage 1 size: nan x inf pts\nPage 1 size: 9e99 x 1 pts\n"
        "Page 1 size: 100 x 100 pts\n");
    return 0;
  }
  if (what == "escape") {
    answer(name, "could do:" + escapes());
    return 0;
  }
  if (what == "controls") {
    answer(name, "red \x1b[31m and \xFF and \x07, twelve letters and more");
    return 0;
  }
  if (what == "flood of pixels" && name == "pdftoppm") flood(1);
  if (what == "no fonts") {
    say(2, "Syntax Error: Couldn't find a font for 'Helvetica'\n");
    answer(name, "");
    if (name == "pdftoppm") say(1, std::string(1024 * 1024 * 3 - 1, ' ') + "x");
    return 0;
  }
  answer(name, what == "scan" || what == "flood of pixels" ? "" : "twelve letters and more");
  return 0;
}
