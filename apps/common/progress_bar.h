#pragma once

#include <cstdint>
#include <string>

namespace pleiad::apps {

/// One line on the terminal's error output that shows how far long work is and
/// when it will be done, and that is gone afterwards. Shows nothing where there
/// is no terminal, nor for work that is done within a moment.
class ProgressBar {
 public:
  enum class Unit : std::uint8_t { bytes, tokens, answers };

  ProgressBar(std::string title, Unit unit, bool enabled);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void update(std::uint64_t done, std::uint64_t total);
  void clear();

 private:
  std::string title_;
  Unit unit_;
  bool enabled_;
  bool shown_ = false;
  double started_;
  double last_shown_ = 0;
};

}  // namespace pleiad::apps
