#include "eval/sandbox/sandbox.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/text_format.h"

namespace pleiad::eval {
namespace {

/// A descriptor that is closed in the end.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {
    if (fd < 0) throw Error("the sandbox cannot be started: {}", errno_text(errno));
  }
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

 private:
  int fd_;
};

std::filesystem::path find_program(const char* name, const char* package) {
  for (const char* folder : {"/usr/bin", "/usr/local/bin", "/bin"}) {
    std::filesystem::path path = std::filesystem::path(folder) / name;
    if (::access(path.c_str(), X_OK) == 0) return path;
  }
  throw Error("{} is not installed: code is run in its sandbox only (Debian: apt install {})", name,
              package);
}

/// The program as a file in memory, which bwrap copies into the sandbox.
void write_program(int file, std::string_view program) {
  while (!program.empty()) {
    const ssize_t n = ::write(file, program.data(), program.size());
    if (n < 0) throw Error("the sandbox cannot be started: {}", errno_text(errno));
    program.remove_prefix(static_cast<std::size_t>(n));
  }
  ::lseek(file, 0, SEEK_SET);
}

// Runs first: from here on no processes of its own. The program is another file, so that what
// must stand at a file's beginning may, and its lines keep their numbers.
constexpr std::string_view kStarter =
    "import resource\n"
    "resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))\n"
    "del resource\n"
    "exec(compile(open('/program.py', 'rb').read(), '/program.py', 'exec'))\n";

std::vector<std::string> arguments(const std::filesystem::path& bwrap,
                                   const std::filesystem::path& python, int starter, int program,
                                   const SandboxLimits& limits, bool disables_namespaces) {
  std::vector<std::string> words = {bwrap.string(), "--unshare-all"};
  // As nobody, also where we are root.
  for (const char* word : {"--unshare-user", "--uid", "65534", "--gid", "65534"}) {
    words.emplace_back(word);
  }
  if (disables_namespaces) words.emplace_back("--disable-userns");
  const std::vector<std::string> rest = {"--die-with-parent",
                                         "--new-session",
                                         "--clearenv",
                                         "--cap-drop",
                                         "ALL",
                                         "--hostname",
                                         "sandbox",
                                         "--ro-bind",
                                         "/usr",
                                         "/usr",
                                         "--symlink",
                                         "usr/lib",
                                         "/lib",
                                         "--symlink",
                                         "usr/lib64",
                                         "/lib64",
                                         "--symlink",
                                         "usr/bin",
                                         "/bin",
                                         "--proc",
                                         "/proc",
                                         "--dev",
                                         "/dev",
                                         "--size",
                                         std::to_string(limits.file_bytes),
                                         "--tmpfs",
                                         "/tmp",
                                         "--chdir",
                                         "/tmp",
                                         "--setenv",
                                         "PATH",
                                         "/usr/bin:/bin",
                                         "--ro-bind-data",
                                         std::to_string(starter),
                                         "/start.py",
                                         "--ro-bind-data",
                                         std::to_string(program),
                                         "/program.py",
                                         "--remount-ro",
                                         "/dev",
                                         "--remount-ro",
                                         "/",
                                         "--",
                                         python.string(),
                                         "-I",
                                         "-B",
                                         "/start.py"};
  words.insert(words.end(), rest.begin(), rest.end());
  return words;
}

void limit(int resource, rlim_t value) {
  const rlimit both = {value, value};
  ::setrlimit(static_cast<__rlimit_resource_t>(resource), &both);
}

/// The rest of the child's life: nothing here may allocate, since other threads
/// of ours may have held the allocator's lock.
[[noreturn]] void become(char* const* argv, int output, const SandboxLimits& limits) {
  ::setsid();
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
  const int nothing = ::open("/dev/null", O_RDONLY);
  if (nothing >= 0) ::dup2(nothing, STDIN_FILENO);
  limit(RLIMIT_AS, limits.memory_bytes);
  limit(RLIMIT_CPU, static_cast<rlim_t>(limits.seconds) + 1);
  limit(RLIMIT_FSIZE, limits.file_bytes);
  limit(RLIMIT_CORE, 0);
  char* const no_environment[] = {nullptr};
  ::execve(argv[0], argv, no_environment);
  ::_exit(127);
}

/// Reads until the other end is closed or the time is over.
void read_output(int from, double deadline, std::size_t most, std::string& output) {
  char buffer[4096];
  for (;;) {
    const double left = deadline - monotonic_seconds();
    if (left <= 0) return;
    pollfd wait = {from, POLLIN, 0};
    const int ready = ::poll(&wait, 1, static_cast<int>(left * 1000) + 1);
    if (ready < 0 && errno != EINTR) return;
    if (ready <= 0) continue;
    const ssize_t n = ::read(from, buffer, sizeof(buffer));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    const std::size_t room = most - std::min(most, output.size());
    output.append(buffer, std::min(room, static_cast<std::size_t>(n)));
  }
}

/// Waits for the child's end; kills it when the time is over, and says false then. What lives
/// in the sandbox dies with bwrap.
bool wait_for(pid_t child, double deadline, int& status) {
  bool in_time = true;
  for (;;) {
    const pid_t ended = ::waitpid(child, &status, WNOHANG);
    if (ended == child) return in_time;
    if (ended < 0 && errno != EINTR) throw Error("the sandbox is lost: {}", errno_text(errno));
    if (in_time && monotonic_seconds() >= deadline) {
      in_time = false;
      ::kill(child, SIGKILL);
    }
    ::usleep(2000);
  }
}

}  // namespace

Sandbox::Sandbox(SandboxLimits limits)
    : limits_(limits), bwrap_(find_program("bwrap", "bubblewrap")), python_("/usr/bin/python3") {
  if (::access(python_.c_str(), X_OK) != 0) {
    throw Error("{} is not there: the programs that are run are Python's", python_.string());
  }
  // An older bwrap does not know how to forbid namespaces within, and some containers do not let
  // it.
  SandboxResult trial;
  for (const bool disables_namespaces : {true, false}) {
    disables_namespaces_ = disables_namespaces;
    trial = run_python("print(6 * 7)\n");
    if (trial.status == 0 && trial.output == "42\n") return;
  }
  throw Error("bwrap cannot make a sandbox here: {}", printable(trial.output, 300));
}

SandboxResult Sandbox::run_python(const std::string& program) const {
  const Descriptor starter(::memfd_create("start", 0));
  write_program(starter.get(), kStarter);
  const Descriptor file(::memfd_create("program", 0));
  write_program(file.get(), program);
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    throw Error("the sandbox cannot be started: {}", errno_text(errno));
  }
  const Descriptor from(ends[0]);
  Descriptor to(ends[1]);
  std::vector<std::string> words =
      arguments(bwrap_, python_, starter.get(), file.get(), limits_, disables_namespaces_);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  const double deadline = monotonic_seconds() + limits_.seconds;
  const pid_t child = ::fork();
  if (child < 0) throw Error("the sandbox cannot be started: {}", errno_text(errno));
  if (child == 0) become(argv.data(), to.get(), limits_);
  to.close();
  SandboxResult result;
  read_output(from.get(), deadline, limits_.output_bytes, result.output);
  int status = 0;
  result.timed_out = !wait_for(child, deadline, status);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

}  // namespace pleiad::eval
