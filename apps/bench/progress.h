#pragma once

#include <optional>
#include <string>

#include "apps/common/progress_bar.h"

namespace pleiad::apps {

/// A bar for each thing that is under way, one after another.
class BenchProgress {
 public:
  void update(const std::string& what, std::uint64_t done, std::uint64_t total) {
    if (what != what_) {
      bar_.reset();
      bar_.emplace(what, ProgressBar::Unit::tokens, true);
      what_ = what;
    }
    bar_->update(done, total);
    if (done == total) bar_->clear();
  }

 private:
  std::string what_;
  std::optional<ProgressBar> bar_;
};

}  // namespace pleiad::apps
