#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "base/text_format.h"
#include "download/file_transfer.h"
#include "download/redirect.h"

namespace pleiad::download {
namespace {

constexpr std::size_t kSmallestPiece = std::size_t{256} << 10;
constexpr std::size_t kLargestPiece = std::size_t{4} << 20;
constexpr double kQuick = 0.5;  // seconds for a piece: larger ones cost fewer requests
constexpr double kSlow = 4;     // and smaller ones cost less when the line breaks
constexpr double kWorthANote = 3;

/// What a refusal says to people, where that is short and no page.
std::string words_of(const std::string& text) {
  if (text.empty() || text.starts_with('<') || text.starts_with("\xef\xbb\xbf<")) return {};
  return ": " + printable(text, 300);
}

}  // namespace

void FileTransfer::note(const std::string& text) const {
  if (request_.note) request_.note(text);
}

void FileTransfer::finish(Lane& lane, std::optional<Problem> problem) {
  if (!problem) {
    switch (lane.answer) {
      case Lane::Answer::redirect:
        return follow(lane);
      case Lane::Answer::refusal:
        return handle_refusal(lane);
      case Lane::Answer::part:
      case Lane::Answer::whole:
        return finish_file(lane);
      case Lane::Answer::past_end:
        return;  // the file ends where it ends here
      case Lane::Answer::none:
        problem = Problem{Trouble::unreachable,
                          fmt::format("{}: what it answers is not HTTP", lane.target.host())};
    }
  }
  if (problem->trouble == Trouble::unreachable) return retry(lane, *problem);
  fail(std::move(*problem));
}

void FileTransfer::finish_file(Lane& lane) {
  if (lane.position < lane.end) {
    return retry(lane,
                 {Trouble::unreachable, fmt::format("{}: ends at byte {} of {} announced ones",
                                                    lane.target.host(), lane.position, lane.end)});
  }
  const double seconds = monotonic_seconds() - lane.began;
  if (lane.answer == Lane::Answer::part && !lane.task.piece) {
    const double rate = static_cast<double>(lane.n_came) / std::max(seconds, 1e-6);
    piece_rate_ = piece_rate_ > 0 ? (3 * piece_rate_ + rate) / 4 : rate;
    if (seconds < kQuick) piece_bytes_ = std::min(kLargestPiece, piece_bytes_ * 2);
    if (seconds > kSlow) piece_bytes_ = std::max(kSmallestPiece, piece_bytes_ / 2);
  }
  if (!lane.task.piece) return;
  if (lane.n_came >= kWorthAnAttempt) return repeat(lane);  // less than was asked for, as it may be
  retry(lane, {Trouble::unreachable, fmt::format("{}: gives a range in parts of {} bytes",
                                                 lane.target.host(), lane.n_came)});
}

void FileTransfer::follow(Lane& lane) {
  if (lane.n_redirects == kMaxRedirects) return fail(too_many_redirects(lane.target));
  ++lane.n_redirects;
  Result<Target> next =
      network_.rules().next(lane.target, lane.exchange.met_public(), lane.exchange.location());
  if (!next) return fail({Trouble::not_allowed, next.message()});
  lane.target = std::move(next.value());
  begin(lane);
}

void FileTransfer::handle_refusal(Lane& lane) {
  const int status = lane.exchange.status();
  const Problem refusal = {
      Trouble::refused,
      fmt::format("{}: answers with status {}{}", lane.target.text(), status, words_of(lane.text)),
      status};
  if (is_temporary(status)) {
    if (status == 429 || status == 503) n_allowed_ = std::max<std::size_t>(1, n_allowed_ / 2);
    return retry(lane, refusal, lane.exchange.header("retry-after"));
  }
  const bool is_expired = status == 401 || status == 403 ||
                          (status >= 400 && status < 500 && !way_.is_home(lane.target));
  if (!is_expired) return fail(refusal);
  if (lane.generation == way_.generation()) {
    if (auto problem = way_.renew(lane.target, refusal)) return fail(std::move(*problem));
    ++facts_.retries;
  }
  repeat(lane);
}

/// Its task goes to whoever is free next, at once.
void FileTransfer::repeat(Lane& lane) {
  lane.task.not_before = 0;
  pending_.push_back(std::exchange(lane.task, {}));
}

void FileTransfer::retry(Lane& lane, const Problem& problem, std::string_view retry_after) {
  const RetryPolicy& policy = network_.surroundings().retry;
  ++facts_.retries;
  Task task = std::exchange(lane.task, {});
  task.n_failures = lane.n_came >= kWorthAnAttempt ? 1 : task.n_failures + 1;
  // A name that is wrong, say.
  if (lane.n_redirects == 0 && !network_.was_reached(lane.target)) return fail(problem);
  if (task.n_failures >= policy.attempts) {
    Problem last = problem;
    last.message += fmt::format(" ({} times in a row)", task.n_failures);
    return fail(std::move(last));
  }
  const std::optional<double> wait = backoff_.wait_after(task.n_failures, retry_after);
  if (!wait) {
    Problem last = problem;
    last.message +=
        fmt::format("; it asks to come back later (Retry-After: {})", printable(retry_after));
    return fail(std::move(last));
  }
  const double now = monotonic_seconds();
  if (*wait >= kWorthANote) {
    note(fmt::format("{}; the next attempt follows in {:.0f} seconds", problem.message, *wait));
  }
  if (!retry_after.empty() || problem.trouble == Trouble::refused) {
    quiet_until_ = std::max(quiet_until_, now + *wait);
  }
  if (!way_.is_home(lane.target)) way_.forget_end();  // it may lead to another host by now
  if (!task.piece) {  // the answer was whole, and ended between two pieces
    quiet_until_ = std::max(quiet_until_, now + *wait);
    return;
  }
  task.not_before = now + *wait;
  pending_.push_back(task);
}

}  // namespace pleiad::download
