#pragma once

#include <functional>
#include <string>
#include <vector>

#include "apps/common/environment.h"
#include "pull/model_reference.h"

namespace pleiad::apps {

/// How a model is to be pulled or pushed.
struct TransferWishes {
  bool yes = false;    // nobody is asked
  bool quiet = false;  // nothing is shown, nobody is asked
  bool json = false;   // a line of JSON for each step, on the standard output; nobody is asked
  std::vector<std::string> insecure_hosts = {};               // as download::Surroundings has them
  std::function<bool(const std::string& question)> ask = {};  // empty: by confirmed()
};

struct Transferred {
  enum class End { done, declined, stopped } end = End::done;
  std::string name;  // done: by which the catalogue finds it

  /// 0, or that of a program which Ctrl-C has ended.
  int exit_status() const;
};

/// The reference that a command's argument means. Throws UsageError, also for a path.
pull::ModelReference parse_remote_name(const std::string& text);

/// Says what will be fetched, asks at a terminal, and fetches it with bars on the error output.
/// Ctrl-C stops it, resumable, and says so. Throws Error.
Transferred pull_model(const pull::ModelReference& reference, const TransferWishes& wishes,
                       const Environment& environment);

/// Sends a model at hand to a registry, likewise. Throws Error.
Transferred push_model(const std::string& model, const pull::ModelReference& reference,
                       const TransferWishes& wishes, const Environment& environment);

}  // namespace pleiad::apps
