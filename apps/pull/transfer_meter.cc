#include "apps/pull/transfer_meter.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text_format.h"

namespace pleiad::apps {
namespace {

constexpr double kRateWindow = 6;        // seconds that the rate is of
constexpr double kSampleInterval = 0.2;  // between two samples
constexpr std::size_t kMostBars = 4;
constexpr std::size_t kMaxFileName = 40;

std::string bar(std::uint64_t done, std::uint64_t total, int width) {
  const double share = total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 0;
  const int filled = static_cast<int>(std::clamp(share, 0.0, 1.0) * width);
  return fmt::format("[{}{}]", std::string(static_cast<std::size_t>(filled), '='),
                     std::string(static_cast<std::size_t>(width - filled), ' '));
}

int done_percent(std::uint64_t done, std::uint64_t total) {
  return total > 0 ? static_cast<int>(100 * std::min(done, total) / total) : 0;
}

/// "54 s", "12 min 3 s", "1 h 12 min"
std::string left_text(double seconds) {
  constexpr double kLongest = 1e6;
  const auto whole = static_cast<std::uint64_t>(std::min(seconds, kLongest) + 0.5);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

/// One column less than there are, since some terminals go on in the next line at the last. Bytes
/// are taken for columns; no character is cut in two.
std::string cut(std::string line, int columns) {
  const auto limit = static_cast<std::size_t>(std::max(columns - 1, 1));
  if (line.size() <= limit) return line;
  std::size_t end = limit;
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0) == 0x80) --end;
  line.resize(end);
  return line;
}

/// "model [=====   ]  52%  after", within so many columns: the bar shrinks and goes first.
std::string bar_line(const std::string& name, std::size_t name_width, std::uint64_t done,
                     std::uint64_t total, const std::string& after, int columns) {
  constexpr int kWidest = 30, kNarrowest = 5;
  const std::string begin = fmt::format("  {:<{}} ", name, name_width);
  const std::string end = fmt::format(" {:>3}%  {}", done_percent(done, total), after);
  const int room = columns - static_cast<int>(begin.size() + end.size()) - 3;
  std::string line = begin;
  if (room >= kNarrowest) line += bar(done, total, std::min(room, kWidest));
  line += end;
  return cut(std::move(line), columns);
}

}  // namespace

TransferMeter::TransferMeter(const std::vector<pull::OfferedFile>& files) {
  for (const pull::OfferedFile& file : files) {
    files_.push_back(
        {printable(file.what, kMaxFileName), file.digest, file.bytes, file.at_hand, file.at_hand});
  }
}

TransferMeter::File& TransferMeter::file_of(const pull::Progress& progress) {
  const auto known = std::ranges::find_if(
      files_, [&](const File& file) { return file.digest == progress.digest; });
  if (known != files_.end()) return *known;
  // "0123456789ab" of "pushing 0123456789ab"
  const std::string what = progress.status.substr(progress.status.rfind(' ') + 1);
  files_.push_back(
      {printable(what, kMaxFileName), progress.digest, progress.total, progress.completed});
  return files_.back();
}

void TransferMeter::add(const pull::Progress& progress, double now) {
  status_ = progress.total == 0 ? progress.status : std::string();
  if (progress.total == 0) return;
  File& file = file_of(progress);
  file.total = progress.total;
  const std::uint64_t told = std::min(progress.completed, progress.total);
  if (file.began && told < file.told) file.there = told;  // it starts over
  const std::uint64_t shown = std::max(told, std::min(file.there, file.total));
  if (file.began && shown > file.completed) came_ += shown - file.completed;
  file.completed = shown;
  file.told = told;
  file.began = true;
  file.moves = told < file.total;
  if (!samples_.empty() && now - samples_.back().first < kSampleInterval) return;
  samples_.emplace_back(now, came_);
  while (samples_.size() > 2 && now - samples_.front().first > kRateWindow) samples_.pop_front();
}

std::uint64_t TransferMeter::total() const {
  std::uint64_t sum = 0;
  for (const File& file : files_) sum += file.total;
  return sum;
}

std::uint64_t TransferMeter::completed() const {
  std::uint64_t sum = 0;
  for (const File& file : files_) sum += file.completed;
  return sum;
}

double TransferMeter::rate(double now) const {
  if (samples_.empty()) return 0;
  const auto& [then, before] = samples_.front();
  return now - then < kSampleInterval ? 0 : static_cast<double>(came_ - before) / (now - then);
}

std::string TransferMeter::summary(double now) const {
  const std::uint64_t all = total(), done = completed();
  std::string text = fmt::format("{} of {}", format_bytes(done), format_bytes(all));
  const double speed = rate(now);
  if (speed < 1) return text;
  text += fmt::format(", {} a second", format_bytes(static_cast<std::uint64_t>(speed)));
  if (done >= all) return text;
  return text + fmt::format(", {} left", left_text(static_cast<double>(all - done) / speed));
}

std::vector<std::string> TransferMeter::lines(int columns, double now) const {
  std::vector<const File*> moving;
  std::size_t name_width = std::string_view("all").size();
  for (const File& file : files_) {
    if (!file.moves || moving.size() == kMostBars) continue;
    moving.push_back(&file);
    name_width = std::max(name_width, file.what.size());
  }
  std::vector<std::string> lines;
  if (files_.size() > 1) {
    for (const File* file : moving) {
      lines.push_back(bar_line(
          file->what, name_width, file->completed, file->total,
          fmt::format("{} of {}", format_bytes(file->completed), format_bytes(file->total)),
          columns));
    }
  }
  const bool is_one = files_.size() == 1;
  if (status_.empty() && !files_.empty()) {
    lines.push_back(bar_line(is_one ? files_[0].what : "all", name_width, completed(), total(),
                             summary(now), columns));
  } else {
    lines.push_back(cut("  " + printable(status_), columns));
  }
  return lines;
}

}  // namespace pleiad::apps
