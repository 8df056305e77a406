#include "media/documents/process/confined_program.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

#include "base/clock.h"
#include "base/error.h"
#include "base/text_format.h"
#include "media/helper/start_process.h"
#include "sandbox/descriptor.h"

namespace pleiad::media {
namespace {

constexpr int kLookEvery = 50;                // milliseconds between two questions whether to go on
constexpr std::size_t kMaxErrors = 16 << 10;  // of a program's errors; more is dropped
constexpr std::string_view kConfined = "confined ";

/// A process that is killed and waited for with this object, if not before.
class RunningProgram {
 public:
  explicit RunningProgram(pid_t id) : id_(id) {}
  ~RunningProgram() { end(); }
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;

  bool has_ended() { return wait(WNOHANG); }
  /// Its status, as of waitpid.
  int end() {
    if (!has_ended()) ::kill(id_, SIGKILL);
    wait(0);
    return status_;
  }

 private:
  bool wait(int options) {
    while (!ended_) {
      const pid_t seen = ::waitpid(id_, &status_, options);
      if (seen == 0) return false;
      ended_ = seen == id_ || errno != EINTR;
    }
    return true;
  }

  pid_t id_;
  bool ended_ = false;
  int status_ = 0;
};

/// What a program writes.
struct ProgramOutput {
  int from;
  std::string& kept;
  std::size_t most;
  bool is_cut = false;  // there was more
};

/// Reads what has come; false at its end.
bool read_piece(ProgramOutput& output) {
  std::array<char, 65536> buffer;
  const ssize_t n = ::read(output.from, buffer.data(), buffer.size());
  if (n < 0 && errno == EINTR) return true;
  if (n <= 0) return false;
  const std::size_t room = output.most - output.kept.size();
  output.is_cut |= static_cast<std::size_t>(n) > room;
  output.kept.append(buffer.data(), std::min(room, static_cast<std::size_t>(n)));
  return true;
}

/// Until all is read and the program has ended; says why it is to be ended, where it is.
ProgramResult::End watch(RunningProgram& program, std::array<ProgramOutput, 2>& outputs,
                         const Patience& patience) {
  using End = ProgramResult::End;
  std::array<pollfd, 2> waits = {{{outputs[0].from, POLLIN, 0}, {outputs[1].from, POLLIN, 0}}};
  for (;;) {
    if (patience.is_stopped()) return End::stopped;
    if (patience.is_over()) return End::late;
    const bool all_read = waits[0].fd < 0 && waits[1].fd < 0;  // poll leaves negative ones out
    if (all_read && program.has_ended()) return End::exited;
    const int ready = ::poll(waits.data(), waits.size(), all_read ? 1 : kLookEvery);
    for (std::size_t i = 0; ready > 0 && i < waits.size(); ++i) {
      if (waits[i].revents != 0 && !read_piece(outputs[i])) waits[i].fd = -1;
    }
    if (outputs[0].is_cut) return End::too_long;
  }
}

}  // namespace

bool take_announcement(std::string& errors, ProgramConfinement& confinement) {
  const std::size_t size = kConfined.size() + 2;
  if (!errors.starts_with(kConfined) || errors.size() < size || errors[size - 1] != '\n') {
    return false;
  }
  const char digit = errors[kConfined.size()];
  if (digit < '0' || digit > '7') return false;
  confinement = ProgramConfinement::from_bits(static_cast<unsigned>(digit - '0'));
  errors.erase(0, size);
  return true;
}

ProgramResult run_confined_program(const HelperProgram& program, const ProgramJob& job,
                                   const Patience& patience) {
  if (::lseek(job.input, 0, SEEK_SET) != 0) {
    throw Error("no document can be read here: {}", errno_text(errno));
  }
  sandbox::Pipe output = sandbox::make_pipe();
  sandbox::Pipe errors = sandbox::make_pipe();
  ::fcntl(output.from.get(), F_SETPIPE_SZ, 1 << 20);
  std::vector<std::string> words = program.arguments;
  words.insert(words.end(), job.words.begin(), job.words.end());
  RunningProgram running(
      start_process(program.path, words, job.input, output.to.get(), errors.to.get()));
  output.to.close();
  errors.to.close();
  ProgramResult result;
  std::array<ProgramOutput, 2> outputs = {
      ProgramOutput{output.from.get(), result.output, job.max_output},
      ProgramOutput{errors.from.get(), result.errors, kMaxErrors}};
  result.end = watch(running, outputs, patience);
  const int status = running.end();
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status);
  if (result.end == ProgramResult::End::exited && !WIFEXITED(status)) {
    result.end = ProgramResult::End::killed;
  }
  if (result.end == ProgramResult::End::stopped) return result;
  const bool is_lost = result.end == ProgramResult::End::exited && result.status == kConverterLost;
  if (!take_announcement(result.errors, result.confinement) || is_lost) {
    const std::string why = result.errors.empty() ? "it does not start" : result.errors;
    throw Error("no document can be read here: the process for it: {}", printable(why, 300));
  }
  return result;
}

}  // namespace pleiad::media
