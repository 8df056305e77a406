#include "apps/pull/transfer_bars.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "apps/common/output.h"
#include "apps/common/terminal.h"
#include "base/clock.h"
#include "base/text_format.h"

namespace pleiad::apps {

TransferBars::TransferBars(const std::vector<pull::OfferedFile>& files, bool enabled, bool obeys)
    : meter_(files), enabled_(enabled), draws_(enabled && obeys && is_terminal(stderr)) {
  for (const pull::OfferedFile& file : files) {
    if (file.at_hand == file.bytes) told_.push_back(file.digest);  // nothing will come of it
  }
}

TransferBars::~TransferBars() { clear(); }

std::uint64_t TransferBars::completed() const {
  const std::lock_guard lock(mutex_);
  return meter_.completed();
}

std::uint64_t TransferBars::total() const {
  const std::lock_guard lock(mutex_);
  return meter_.total();
}

void TransferBars::clear() {
  const std::lock_guard lock(mutex_);
  erase();
}

void TransferBars::erase() {
  if (n_drawn_ == 0) return;
  std::string text = "\r\x1b[K";
  for (std::size_t i = 1; i < n_drawn_; ++i) text += "\x1b[A\x1b[K";
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
  n_drawn_ = 0;
}

void TransferBars::update(const pull::Progress& progress) {
  constexpr double kInterval = 0.1;  // seconds between two pictures
  const std::lock_guard lock(mutex_);
  const double now = monotonic_seconds();
  meter_.add(progress, now);
  if (!enabled_) return;
  if (!draws_) return tell_of_completed(progress);
  const bool is_new = meter_.status() != last_status_;
  if (!is_new && now - last_drawn_ < kInterval) return;
  last_status_ = meter_.status();
  last_drawn_ = now;
  draw(now);
}

void TransferBars::draw(double now) {
  const std::vector<std::string> lines = meter_.lines(terminal_width(stderr), now);
  erase();
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : "\n") + line;
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
  n_drawn_ = lines.size();
}

/// A log has no use for bars, but for what has come.
void TransferBars::tell_of_completed(const pull::Progress& progress) {
  if (progress.total == 0 || progress.completed < progress.total) return;
  if (std::ranges::find(told_, progress.digest) != told_.end()) return;
  told_.push_back(progress.digest);
  print_note(
      fmt::format("{}: {}, all of it is there\n", progress.status, format_bytes(progress.total)));
}

}  // namespace pleiad::apps
