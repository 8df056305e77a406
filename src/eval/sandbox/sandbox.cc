#include "eval/sandbox/sandbox.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/text_format.h"
#include "eval/sandbox/confined_child.h"
#include "eval/sandbox/system_call_filter.h"
#include "sandbox/descriptor.h"

namespace pleiad::eval {
namespace {

using sandbox::Descriptor;
using sandbox::file_in_memory;
using sandbox::Pipe;

std::filesystem::path find_program(const char* name, const char* package) {
  for (const char* folder : {"/usr/bin", "/usr/local/bin", "/bin"}) {
    std::filesystem::path path = std::filesystem::path(folder) / name;
    if (::access(path.c_str(), X_OK) == 0) return path;
  }
  throw Error("{} is not installed: code is run in its sandbox only (Debian: apt install {})", name,
              package);
}

// Runs first, to limit the threads: outside, bwrap's own processes and the user's would count. The
// program is another file, so that what must stand at a file's beginning may, and its lines keep
// their numbers.
constexpr std::string_view kStarter =
    "import resource\n"
    "resource.setrlimit(resource.RLIMIT_NPROC, (32, 32))\n"
    "del resource\n"
    "exec(compile(open('/program.py', 'rb').read(), '/program.py', 'exec'))\n";

constexpr double kTrialSeconds = 20;  // at least, on a busy machine too

/// What bwrap reads from descriptors.
struct SandboxFiles {
  Descriptor filter;
  Descriptor starter;
  Descriptor program;
};

std::vector<std::string> arguments(const std::filesystem::path& bwrap,
                                   const std::filesystem::path& python, const SandboxFiles& files,
                                   const SandboxLimits& limits) {
  std::vector<std::string> words = {bwrap.string()};
  const auto add = [&words](std::initializer_list<std::string> more) {
    words.insert(words.end(), more);
  };
  add({"--unshare-all", "--unshare-user", "--uid", "65534", "--gid", "65534"});
  add({"--cap-drop", "ALL", "--die-with-parent", "--new-session", "--clearenv"});
  add({"--hostname", "sandbox", "--seccomp", std::to_string(files.filter.get())});
  // No /proc: its files under sys are root's own, whatever namespaces a process is in.
  add({"--ro-bind", "/usr/lib", "/usr/lib", "--ro-bind-try", "/usr/lib64", "/usr/lib64"});
  add({"--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64"});
  add({"--ro-bind", python.string(), python.string()});
  for (const char* device : {"/dev/null", "/dev/zero", "/dev/urandom"}) {
    add({"--dev-bind", device, device});
  }
  add({"--ro-bind-data", std::to_string(files.starter.get()), "/start.py"});
  add({"--ro-bind-data", std::to_string(files.program.get()), "/program.py"});
  add({"--size", std::to_string(limits.file_bytes), "--tmpfs", "/tmp", "--chdir", "/tmp"});
  add({"--remount-ro", "/", "--", python.string(), "-I", "-B", "/start.py"});
  return words;
}

/// An output of the program, and where it is kept.
struct Output {
  int from;
  std::string& kept;
};

/// Reads what has come; false at the output's end.
bool read_some(const Output& output, std::size_t most) {
  char buffer[4096];
  const ssize_t n = ::read(output.from, buffer, sizeof(buffer));
  if (n < 0 && errno == EINTR) return true;
  if (n <= 0) return false;
  const std::size_t room = most - std::min(most, output.kept.size());
  output.kept.append(buffer, std::min(room, static_cast<std::size_t>(n)));
  return true;
}

/// Reads until both are closed or the time is over.
void read_outputs(const std::array<Output, 2>& outputs, double deadline, std::size_t most) {
  std::array<pollfd, 2> waits = {{{outputs[0].from, POLLIN, 0}, {outputs[1].from, POLLIN, 0}}};
  while (waits[0].fd >= 0 || waits[1].fd >= 0) {  // poll leaves negative ones out
    const double left = deadline - monotonic_seconds();
    if (left <= 0) return;
    const int ready = ::poll(waits.data(), waits.size(), static_cast<int>(left * 1000) + 1);
    if (ready < 0 && errno != EINTR) return;
    for (std::size_t i = 0; ready > 0 && i < waits.size(); ++i) {
      if (waits[i].revents != 0 && !read_some(outputs[i], most)) waits[i].fd = -1;
    }
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
    : limits_(limits),
      bwrap_(find_program("bwrap", "bubblewrap")),
      python_("/usr/bin/python3"),
      filter_(system_call_filter()) {
  if (::access(python_.c_str(), X_OK) != 0) {
    throw Error("{} is not there: the programs that are run are Python's", python_.string());
  }
  limits_.seconds = std::max(limits.seconds, kTrialSeconds);
  const SandboxResult trial = run_python("print(6 * int(input()))\n", "7\n");
  limits_.seconds = limits.seconds;
  if (trial.status == 0 && trial.output == "42\n") return;
  throw Error("bwrap cannot make a sandbox here: {}",
              trial.timed_out ? "Python does not start in time"
                              : printable(trial.output + trial.errors, 300));
}

SandboxResult Sandbox::run_python(std::string_view program, std::string_view input) const {
  const SandboxFiles files = {file_in_memory(filter_), file_in_memory(kStarter),
                              file_in_memory(program)};
  const Descriptor stdin_file = file_in_memory(input);
  Pipe output = sandbox::make_pipe();
  Pipe errors = sandbox::make_pipe();
  std::vector<std::string> words = arguments(bwrap_, python_, files, limits_);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const int kept[] = {files.filter.get(), files.starter.get(), files.program.get()};
  const ChildDescriptors descriptors = {stdin_file.get(), output.to.get(), errors.to.get(), kept};

  const double deadline = monotonic_seconds() + limits_.seconds;
  const pid_t child = ::fork();
  if (child < 0) throw Error("the sandbox cannot be started: {}", errno_text(errno));
  if (child == 0) become_confined(argv.data(), descriptors, limits_);
  output.to.close();
  errors.to.close();
  SandboxResult result;
  read_outputs({{{output.from.get(), result.output}, {errors.from.get(), result.errors}}}, deadline,
               limits_.output_bytes);
  int status = 0;
  result.timed_out = !wait_for(child, deadline, status);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

}  // namespace pleiad::eval
