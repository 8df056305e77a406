#pragma once

#include <filesystem>
#include <string>

#include "apps/common/cli_names.h"
#include "apps/common/environment.h"
#include "convert/mix.h"
#include "convert/report.h"
#include "model/checkpoint.h"

namespace pleiad::apps {

/// The flags of the commands that write a model from another one.
struct WriteFlags {
  std::string source;
  std::string target;
  int threads = 0;
  bool force = false;
  bool json = false;

  /// Adds IN, OUT, --threads, --force and --json to a command.
  void add_to(CLI::App& command);
};

/// Throws Error where the target is there already and --force was not given.
void refuse_existing(const WriteFlags& flags);

/// Writes the model with a progress bar and prints the report; Ctrl-C, SIGTERM and SIGHUP
/// leave nothing behind. Returns the exit status.
int write_model(const WriteFlags& flags, const Checkpoint& source, convert::Container container,
                convert::WriteOptions options);

}  // namespace pleiad::apps
