#include "apps/common/progress_bar.h"

#include <algorithm>
#include <cstdio>

#include "apps/common/terminal.h"
#include "base/clock.h"
#include "base/text_format.h"

#include <fmt/format.h>

namespace pleiad::apps {

ProgressBar::ProgressBar(std::string title, Unit unit, bool enabled)
    : title_(printable(title, std::string::npos)),
      unit_(unit),
      enabled_(enabled && is_terminal(stderr)),
      started_(monotonic_seconds()) {}

ProgressBar::~ProgressBar() { clear(); }

void ProgressBar::clear() {
  if (!shown_) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  shown_ = false;
}

void ProgressBar::update(std::uint64_t done, std::uint64_t total) {
  constexpr double kQuiet = 0.3;      // seconds before anything is shown
  constexpr double kInterval = 0.05;  // seconds between two pictures
  const double now = monotonic_seconds();
  if (!enabled_ || total == 0 || now - started_ < kQuiet || now - last_shown_ < kInterval) return;
  last_shown_ = now;
  shown_ = true;
  const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
  const auto amount = [&](std::uint64_t n) {
    return unit_ == Unit::bytes ? format_bytes(n) : format_count(n);
  };
  const double left = share > 0 ? (now - started_) * (1 - share) / share : 0;
  const std::string after =
      fmt::format(" {:3.0f}%  {} of {}{}, {} left", share * 100, amount(done), amount(total),
                  unit_ == Unit::tokens    ? " tokens"
                  : unit_ == Unit::answers ? " answers"
                                           : "",
                  format_seconds(left));
  const int room = terminal_width(stderr) - static_cast<int>(title_.size() + after.size()) - 5;
  std::string bar;
  if (room >= 5) {
    const int width = std::min(room, 40);
    const int filled = static_cast<int>(share * width + 0.5);
    bar = fmt::format(" [{}{}]", std::string(static_cast<std::size_t>(filled), '='),
                      std::string(static_cast<std::size_t>(width - filled), ' '));
  }
  fmt::print(stderr, "\r\x1b[K{}{}{}", title_, bar, after);
  std::fflush(stderr);
}

}  // namespace pleiad::apps
