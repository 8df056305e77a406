#include "media/helper/helper_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

#include "base/clock.h"
#include "base/error.h"
#include "base/text_format.h"
#include "media/helper/pipe_signal.h"
#include "media/helper/start_process.h"

namespace pleiad::media {
namespace {

constexpr std::string_view kNothingIsRead = "no picture, sound or video can be read";
constexpr int kAskEvery = 50;  // milliseconds between two questions whether to go on

/// Fewer turns between the two processes. Where a user's pipes have taken their share it stays
/// small.
void make_large(int pipe) { ::fcntl(pipe, F_SETPIPE_SZ, 1 << 20); }

void make_non_blocking(int fd) { ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK); }

}  // namespace

bool Patience::is_over() const { return monotonic_seconds() >= deadline; }

HelperProcess::HelperProcess(const HelperProgram& program, const HelperTask& task)
    : HelperProcess(program, task, sandbox::make_pipe(), sandbox::make_pipe()) {}

HelperProcess::HelperProcess(const HelperProgram& program, const HelperTask& task,
                             sandbox::Pipe input, sandbox::Pipe output)
    : to_child_(std::move(input.to)), from_child_(std::move(output.from)) {
  make_large(to_child_.get());
  make_large(from_child_.get());
  make_non_blocking(to_child_.get());
  make_non_blocking(from_child_.get());
  std::vector<std::string> arguments = program.arguments;
  for (std::string& more : helper_arguments(task)) arguments.push_back(std::move(more));
  child_ = start_process(program.path, arguments, input.from.get(), output.to.get());
}

HelperProcess::~HelperProcess() { end(); }

HelperProcess::Wait HelperProcess::wait_for(int fd, short events, const Patience& patience) const {
  for (;;) {
    if (patience.is_stopped()) return Wait::stopped;
    const double left = patience.deadline - monotonic_seconds();
    if (left <= 0) return Wait::late;
    // Of what is sent to, the other one is asked too: it may answer before it has read all.
    pollfd waits[] = {{fd, events, 0}, {from_child_.get(), POLLIN, 0}};
    const int milliseconds = static_cast<int>(std::min<double>(left * 1000 + 1, kAskEvery));
    const int n = ::poll(waits, 2, milliseconds);
    if (n < 0 && errno != EINTR) return Wait::closed;
    if (n <= 0) continue;
    if (waits[1].revents != 0 && fd != from_child_.get()) return Wait::closed;
    if (waits[0].revents != 0) return Wait::ready;
  }
}

bool HelperProcess::read_exactly(std::span<std::byte> into, const Patience& patience) {
  while (!into.empty()) {
    const ssize_t n = ::read(from_child_.get(), into.data(), into.size());
    if (n > 0) {
      into = into.subspan(static_cast<std::size_t>(n));
      continue;
    }
    if (n < 0 && errno == EINTR) continue;
    const bool closed = n == 0 || errno != EAGAIN;
    last_wait_ = closed ? Wait::closed : wait_for(from_child_.get(), POLLIN, patience);
    if (last_wait_ != Wait::ready) return false;
  }
  return true;
}

void HelperProcess::send(std::span<const std::byte> bytes, const Patience& patience) {
  const WithoutPipeSignal guard;
  while (!bytes.empty()) {
    const ssize_t n = ::write(to_child_.get(), bytes.data(), bytes.size());
    if (n > 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(n));
      continue;
    }
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno != EAGAIN) return;
    if (wait_for(to_child_.get(), POLLOUT, patience) != Wait::ready) return;
  }
}

Result<Confinement> HelperProcess::await_ready(const Patience& patience) {
  if (confinement_) return *confinement_;
  const auto ready =
      read_ready([&](std::span<std::byte> into) { return read_exactly(into, patience); });
  if (const auto* bits = std::get_if<std::uint32_t>(&ready)) {
    confinement_ = Confinement::from_bits(*bits);
    return *confinement_;
  }
  if (const auto* why = std::get_if<Failure>(&ready)) {
    throw Error("{} here: its process cannot be confined: {}", kNothingIsRead, why->message);
  }
  if (last_wait_ == Wait::stopped) return Failure{"was given up"};
  if (last_wait_ == Wait::late) {
    throw Error("{} now: the process for it does not start in time", kNothingIsRead);
  }
  throw Error("{} here: the process for it does not start", kNothingIsRead);
}

template <typename Prepared, typename Options, typename Limits>
Result<Prepared> HelperProcess::ask(std::span<const std::byte> bytes, const Options& options,
                                    const Limits& limits, const Patience& patience,
                                    double seconds) {
  const Question question = make_question(bytes, options, limits);
  send(std::as_bytes(std::span(&question, 1)), patience);
  send(bytes, patience);
  Answer<Prepared> answer = read_answer(
      [&](std::span<std::byte> into) { return read_exactly(into, patience); }, options, limits);
  if (auto* prepared = std::get_if<Prepared>(&answer)) return std::move(*prepared);
  if (auto* failure = std::get_if<Failure>(&answer)) return std::move(*failure);
  return failure_of(std::get<NoAnswer>(answer), seconds);
}

Result<PreparedPicture> HelperProcess::read(std::span<const std::byte> bytes,
                                            const PictureOptions& options,
                                            const DecodeLimits& limits, const Patience& patience,
                                            double seconds) {
  return ask<PreparedPicture>(bytes, options, limits, patience, seconds);
}

Result<PreparedSound> HelperProcess::read(std::span<const std::byte> bytes,
                                          const SoundOptions& options, const SoundLimits& limits,
                                          const Patience& patience, double seconds) {
  return ask<PreparedSound>(bytes, options, limits, patience, seconds);
}

Result<PreparedVideo> HelperProcess::read(std::span<const std::byte> bytes,
                                          const VideoOptions& options, const VideoLimits& limits,
                                          const Patience& patience, double seconds) {
  return ask<PreparedVideo>(bytes, options, limits, patience, seconds);
}

Failure HelperProcess::failure_of(NoAnswer why, double seconds) {
  if (why == NoAnswer::nonsense) return {"made its decoder answer nonsense"};
  if (last_wait_ == Wait::stopped) return {"was given up"};
  if (last_wait_ == Wait::late) {
    return {fmt::format("takes more than {} to be read", format_seconds(seconds))};
  }
  const int status = end();
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) {
    return {"could not be read: the system ended its decoder, as it does where memory is short"};
  }
  return {"made its decoder crash"};
}

bool HelperProcess::has_ended() {
  if (status_) return true;
  int status = 0;
  if (::waitpid(child_, &status, WNOHANG) != child_) return false;
  status_ = status;
  return true;
}

void HelperProcess::kill() const {
  if (!status_) ::kill(child_, SIGKILL);
}

int HelperProcess::end() {
  // What has ended by itself keeps its status; a signal does nothing to it.
  kill();
  int status = 0;
  while (!status_) {
    if (::waitpid(child_, &status, 0) == child_ || errno != EINTR) status_ = status;
  }
  return *status_;
}

}  // namespace pleiad::media
