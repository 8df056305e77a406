#pragma once

#include <optional>

#include "server_bench/result.h"

namespace pleiad::server_bench {

/// What the runs of a model are measured against.
struct Expectation {
  std::string model;
  Product product = Product::other;
  std::int64_t overhead = 0;  // tokens of the template: every prompt begins with some of them
  bool counted = false;       // prompts were made by the server's own counts
  std::optional<std::int64_t> context_length;  // as the model was loaded
  std::optional<std::int64_t> asked_context;   // what it was to be
  MachineState machine;                        // before the first run
};

/// Whether a prompt that was asked before is answered faster, in seconds of one clock.
struct CacheEvidence {
  bool visible = false;
  double fastest_fresh = 0;
  double slowest_repeat = 0;
  /// Between the two: what is faster came from the cache.
  double limit = 0;
};
/// Visible where every repeat took less than 7 tenths of every new prompt, and by more than
/// `noise` seconds: a machine that others use has good and bad moments. Both may be empty: not
/// visible.
CacheEvidence cache_evidence(const std::vector<double>& fresh, const std::vector<double>& repeated,
                             double noise);

/// Finds everything that spoils a row, or makes its figures mean something else: marks its
/// runs and the row itself.
void mark(Row& row, const Expectation& expected);

}  // namespace pleiad::server_bench
