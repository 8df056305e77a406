#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

#include "apps/pull/transfer_meter.h"

namespace pleiad::apps {

/// Shows a transfer on the error output: bars that are drawn again and again where that is a
/// terminal, and are gone afterwards; elsewhere a line for each file that is complete. Threads may
/// share it.
class TransferBars {
 public:
  /// `enabled`: false shows nothing. `obeys`: false for terminals that know no sequences, which
  /// are shown lines too.
  TransferBars(const std::vector<pull::OfferedFile>& files, bool enabled, bool obeys);
  ~TransferBars();
  TransferBars(const TransferBars&) = delete;
  TransferBars& operator=(const TransferBars&) = delete;

  void update(const pull::Progress& progress);
  void clear();

  std::uint64_t completed() const;
  std::uint64_t total() const;

 private:
  void draw(double now);
  void erase();
  void tell_of_completed(const pull::Progress& progress);

  mutable std::mutex mutex_;
  TransferMeter meter_;
  std::vector<std::string> told_;  // digests
  bool enabled_;
  bool draws_;
  std::size_t n_drawn_ = 0;  // lines that stand on the screen
  double last_drawn_ = 0;
  std::string last_status_;
};

}  // namespace pleiad::apps
