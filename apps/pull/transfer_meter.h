#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "pull/source.h"

namespace pleiad::apps {

/// How far a transfer of several files is, how fast, and when it will be done.
class TransferMeter {
 public:
  /// `files`: those that are known from the beginning; others come with their first progress.
  explicit TransferMeter(const std::vector<pull::OfferedFile>& files);

  /// `now`: seconds, of any clock that does not go back.
  void add(const pull::Progress& progress, double now);

  std::uint64_t total() const;
  std::uint64_t completed() const;
  /// Bytes a second of the last seconds; 0: nothing can be said yet.
  double rate(double now) const;
  /// What is done beside the files: "verifying sha256 digest". Empty while files move.
  const std::string& status() const { return status_; }

  /// What to show in so many columns: a line for each file that moves, the first four of them, and
  /// one for all. No line is wider; ASCII but for file names.
  std::vector<std::string> lines(int columns, double now) const;

  /// "3.1 GB of 7.2 GB, 54 MB a second, 1 min 16 s left"
  std::string summary(double now) const;

 private:
  struct File {
    std::string what;
    std::string digest;
    std::uint64_t total = 0;
    std::uint64_t completed = 0;  // as it is shown
    std::uint64_t there = 0;      // of them before it began: read again first, which is no progress
    std::uint64_t told = 0;       // by its last progress
    bool began = false;
    bool moves = false;
  };
  File& file_of(const pull::Progress& progress);

  std::vector<File> files_;
  std::string status_;
  std::uint64_t came_ = 0;                                // bytes since the beginning
  std::deque<std::pair<double, std::uint64_t>> samples_;  // time, came_
};

}  // namespace pleiad::apps
