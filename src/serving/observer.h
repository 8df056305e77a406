#pragma once

#include <string>

#include "engine/session.h"

namespace pleiad::serving {

/// What serving tells of itself, for metrics and logs. Called from many threads;
/// must return at once.
class ServingObserver {
 public:
  virtual ~ServingObserver() = default;

  /// Seconds from the request to its first token.
  virtual void first_token(const std::string& /*model*/, double /*seconds*/) {}
  /// Seconds between two tokens of one answer.
  virtual void token_gap(const std::string& /*model*/, double /*seconds*/) {}

  struct Finished {
    std::string model;    // as the catalog has it; empty: there is none of that name
    std::string asked;    // the name in the request, whatever it is
    std::string id;       // the request's
    std::string outcome;  // "stop", "length", "cancelled", or the name of an error
    std::string error;    // what went wrong, in full; clients may hear less
    std::string field;    // of the request, where one is to blame: then `error` may quote it
    GenerationStats stats;
    double total_seconds = 0;
    double queue_seconds = 0;
    double load_seconds = 0;
  };
  virtual void finished(const Finished& /*answer*/) {}

  virtual void load_started(const std::string& /*model*/) {}
  /// `error`: why it did not work; empty where it did.
  virtual void load_finished(const std::string& /*model*/, double /*seconds*/,
                             const std::string& /*error*/) {}
  virtual void unloaded(const std::string& /*model*/) {}
};

}  // namespace pleiad::serving
