#pragma once

#include <optional>
#include <utility>

#include "server_bench/result.h"

namespace pleiad::server_bench {

/// The quickest of a shape's answers and probes while nobody else asked, in seconds: with company
/// nothing is quicker. Empty where it is not known.
struct Lone {
  std::optional<double> window;          // from the first piece to the last one, of a long answer
  std::optional<double> first_token;     // of a new prompt, by our clock
  std::optional<double> prompt_seconds;  // ... by the server's account
  std::vector<std::pair<Figure, std::vector<std::string>>> spoiled;  // in all runs, and why
};
Lone lone_of(const Row& row);

/// What the runs of a model are measured against.
struct Expectation {
  std::string model;
  Product product = Product::other;
  std::int64_t overhead = 0;  // tokens of the template: every prompt begins with some of them
  bool counted = false;       // prompts were made by the server's own counts
  std::optional<std::int64_t> context_length;  // as the model was loaded
  std::optional<std::int64_t> asked_context;   // what it was to be
  MachineState machine;                        // before the first run
  bool exact = false;               // every word of a prompt is one token by the server's counts
  std::int64_t counts_step = 1;     // all of the server's counts are multiples of it
  double way_seconds = 0;           // there and back, without work
  std::vector<std::string> listed;  // models that the server says it has
  std::optional<Lone> lone;         // of the same shape, where the row is with company
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

/// More tokens are counted than the answer shows: a quarter more, and more than 8.
bool counts_more_than_shown(const Answer& answer);
/// The name that an answer tells is the model's that was asked for: without the folder, ".gguf",
/// capitals and a date at its end; or any that is listed, where the one that was asked for is not.
bool is_model_asked_for(const std::string& told, const Expectation& expected);

/// Finds everything that spoils a row, or makes its figures mean something else: marks its
/// runs and the row itself.
void mark(Row& row, const Expectation& expected);

}  // namespace pleiad::server_bench
