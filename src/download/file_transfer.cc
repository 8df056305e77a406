#include "download/file_transfer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/clock.h"

namespace pleiad::download {
namespace {

/// All the memory that a download takes: 32 MiB.
constexpr std::size_t kBufferBytes = std::size_t{4} << 20;
constexpr std::size_t kBuffers = 8;
constexpr std::size_t kFirstPiece = std::size_t{1} << 20;
constexpr int kMostLanes = static_cast<int>(kBuffers);
constexpr double kReportEvery = 0.1;
/// So much waits for the disk: the line is faster, and needs no more connections than it has.
constexpr std::size_t kEnoughAhead = std::size_t{8} << 20;

}  // namespace

FileTransfer::FileTransfer(Network& network, const FileRequest& request, Way& way,
                           PartialFile& file, FileFacts& facts,
                           const std::function<void(std::uint64_t)>& so_far, const Stop& stop)
    : network_(network),
      request_(request),
      way_(way),
      file_(file),
      facts_(facts),
      so_far_(so_far),
      stop_(stop),
      window_(kBufferBytes, kBuffers),
      backoff_(network.surroundings().retry),
      next_offset_(file.size()),
      piece_bytes_(kFirstPiece),
      n_allowed_(static_cast<std::size_t>(std::clamp(request.connections, 1, kMostLanes))),
      appender_(window_, file, [this] { curl_multi_wakeup(multi_.get()); }) {
  for (std::size_t i = 0; i < n_allowed_; ++i) lanes_.push_back(std::make_unique<Lane>(network));
}

std::optional<Problem> FileTransfer::run() {
  loop();
  lanes_.clear();  // what they hold of the window ends with them
  std::optional<Problem> written = appender_.finish();
  if (so_far_) so_far_(file_.size());
  if (written) return written;
  return std::move(problem_);
}

void FileTransfer::loop() {
  constexpr int kAskEvery = 50;  // milliseconds
  start_lanes();
  while (!problem_ && !is_done()) {
    int running = 0;
    curl_multi_perform(multi_.get(), &running);
    check_lanes();
    if (problem_ || is_done() || appender_.problem()) return;
    if (stop_ && stop_()) return fail({Trouble::stopped, "was given up"});
    report(monotonic_seconds());
    start_lanes();  // before the wait: who is done has nothing to wait for
    curl_multi_poll(multi_.get(), nullptr, 0, kAskEvery, nullptr);
  }
}

bool FileTransfer::is_done() const { return facts_.size && file_.size() == *facts_.size; }

void FileTransfer::fail(Problem problem) {
  if (!problem_) problem_ = std::move(problem);
}

void FileTransfer::report(double now) {
  if (!so_far_ || now < next_report_) return;
  next_report_ = now + kReportEvery;
  so_far_(file_.size());
}

void FileTransfer::start_lanes() {
  const double now = monotonic_seconds();
  if (now < quiet_until_) return;
  const auto is_running = [](const auto& lane) { return lane->exchange.is_running(); };
  auto n_running = static_cast<std::size_t>(std::ranges::count_if(lanes_, is_running));
  for (const auto& lane : lanes_) {
    if (is_running(lane)) continue;
    const bool is_sought = std::ranges::any_of(
        lanes_, [&](const auto& other) { return is_running(other) && other->finds_way; });
    const bool is_fast = n_running > 0 && window_.backlog() > kEnoughAhead;
    if (problem_ || is_fast || n_running >= n_allowed_ || (is_sought && !way_.is_found())) return;
    const std::optional<Task> task = next_task(now);
    if (!task) return;
    lane->task = *task;
    lane->target = way_.target();
    lane->n_redirects = 0;
    lane->generation = way_.generation();
    lane->finds_way = !way_.is_found();
    begin(*lane);
    ++n_running;
  }
}

std::optional<Task> FileTransfer::next_task(double now) {
  const auto first =
      std::ranges::min_element(pending_, {}, [](const Task& task) { return task.piece->offset; });
  if (first != pending_.end()) {
    // Before this piece is there, no other helps much.
    const auto ready =
        std::ranges::find_if(pending_, [now](const Task& task) { return task.not_before <= now; });
    if (ready != pending_.end()) {
      const auto chosen = first->not_before <= now ? first : ready;
      const Task task = *chosen;
      pending_.erase(chosen);
      return task;
    }
    if (!gives_ranges_) return std::nullopt;  // who gives the whole file gives it in order
  }
  const bool is_known = facts_.size.has_value();
  if (!window_.has_room() ||
      (is_known ? next_offset_ >= *facts_.size : next_offset_ > file_.size())) {
    return std::nullopt;
  }
  return Task{.piece = &add_piece()};
}

Piece& FileTransfer::add_piece() {
  std::uint64_t size = piece_bytes_;
  if (facts_.size) size = std::min<std::uint64_t>(size, *facts_.size - next_offset_);
  Piece& piece = window_.add(next_offset_, static_cast<std::size_t>(size));
  next_offset_ += size;
  return piece;
}

std::optional<EntityTag> FileTransfer::tag_of(const Target& target) const {
  const auto found = facts_.hosts.find(target.host());
  return found == facts_.hosts.end() ? std::nullopt : found->second;
}

void FileTransfer::begin(Lane& lane) {
  const Piece& piece = *lane.task.piece;
  lane.answer = Lane::Answer::none;
  lane.n_came = lane.n_dropped = 0;
  lane.text.clear();
  lane.began = monotonic_seconds();
  Question question;
  question.authorization = way_.authorization_for(lane.target);
  question.may_use_netrc = way_.is_home(lane.target);
  question.range = fmt::format("{}-{}", piece.next_byte(), piece.end() - 1);
  const std::optional<EntityTag> tag = tag_of(lane.target);
  if (facts_.tags_count && tag && !tag->weak) {
    question.headers.push_back({"If-Range", tag->text()});
  }
  lane.exchange.begin(
      multi_.get(), lane.target, std::move(question),
      {.head = [this, &lane] { return take_head(lane); },
       .body = [this, &lane](std::string_view bytes) { return take_body(lane, bytes); }});
}

/// The first piece is much slower than others were, and all that is left to do is to wait for it:
/// another connection may be luckier.
bool FileTransfer::holds_up_others(const Lane& lane, double now) const {
  constexpr double kMuchSlower = 8;
  const double seconds = now - lane.began;
  const Piece* piece = lane.task.piece;
  if (!gives_ranges_ || !piece || piece->offset > file_.size() || !pending_.empty() ||
      seconds < network_.surroundings().retry.slow_seconds) {
    return false;
  }
  const auto is_running = [](const auto& some) { return some->exchange.is_running(); };
  const auto n_running = static_cast<std::size_t>(std::ranges::count_if(lanes_, is_running));
  const bool is_all_begun = next_offset_ >= facts_.size.value_or(0) || !window_.has_room();
  return is_all_begun && n_running < n_allowed_ &&
         static_cast<double>(lane.n_came) * kMuchSlower < piece_rate_ * seconds;
}

/// Those that are over, that wait for room, and that wait in vain.
void FileTransfer::check_lanes() {
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_.get(), &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    const CURLcode code = message->data.result;
    const auto lane = std::ranges::find_if(
        lanes_, [&](const auto& some) { return some->exchange.easy() == message->easy_handle; });
    finish(**lane, (*lane)->exchange.end(code));
  }
  const double now = monotonic_seconds();
  for (const auto& lane : lanes_) {
    Exchange& exchange = lane->exchange;
    if (!exchange.is_running()) continue;
    if (exchange.is_paused() && window_.has_room()) exchange.go_on();
    if (holds_up_others(*lane, now)) {
      static_cast<void>(exchange.end(CURLE_ABORTED_BY_CALLBACK));
      ++facts_.retries;
      repeat(*lane);
      continue;
    }
    if (!exchange.is_stalled(now)) continue;
    static_cast<void>(exchange.end(CURLE_OPERATION_TIMEDOUT));
    finish(*lane, Problem{Trouble::unreachable,
                          fmt::format("{}: sends nothing any more, or as good as nothing",
                                      lane->target.host())});
  }
}

}  // namespace pleiad::download
