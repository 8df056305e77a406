#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "apps/common/cli_names.h"
#include "apps/common/environment.h"
#include "apps/quantize/report.h"
#include "convert/mix.h"
#include "convert/report.h"
#include "model/checkpoint.h"
#include "model/gemma4/encoder_kind.h"

namespace pleiad::apps {

/// The flags of the commands that write a model from another one.
struct WriteFlags {
  std::string source;
  std::string target;
  std::string projector;         // --mmproj: of the source
  std::string target_projector;  // --mmproj-out
  std::string vision_type;       // --vision-type; empty: as it is
  std::string audio_type;        // --audio-type
  int threads = 0;
  bool force = false;
  bool json = false;

  /// Adds IN, OUT and what they all have to a command.
  void add_to(CLI::App& command);

  /// Opens IN with its projector.
  Checkpoint open(const Environment& environment) const;

  /// What the flags say of the towers. Throws UsageError.
  void set_towers(convert::WriteOptions& options, convert::Container container) const;

  /// --vision-type or --audio-type.
  const std::string& tower_type(gemma4::EncoderKind kind) const {
    return kind == gemma4::EncoderKind::vision ? vision_type : audio_type;
  }
};

/// Throws Error where the target is there already and --force was not given.
void refuse_existing(const WriteFlags& flags);

/// The same for the projector file of its towers, if one is written; sets what options say of them.
/// Throws Error, too, where the flags ask for a tower that `source` does not have.
void set_tower_target(const WriteFlags& flags, const Checkpoint& source,
                      convert::Container container, convert::WriteOptions& options);

/// How a caller follows the work; none may be empty.
struct WriteWatch {
  /// Asked now and then; what it throws ends the work, and nothing is left behind.
  std::function<void()> check;
  /// What is done ("calibrating" tokens, "writing" bytes), how much of it, and of how much.
  std::function<void(std::string_view what, std::uint64_t done, std::uint64_t total)> progress;
  /// A sentence for the user.
  std::function<void(const std::string& text)> note;
};

/// Writes the model. Throws Error.
WrittenModel write_model(const WriteFlags& flags, const Checkpoint& source,
                         convert::Container container, convert::WriteOptions options,
                         const WriteWatch& watch);

/// Runs `write` with progress bars and prints its report; Ctrl-C, SIGTERM and SIGHUP leave nothing
/// behind. Returns the exit status.
int report_writing(const WriteFlags& flags,
                   const std::function<WrittenModel(const WriteWatch& watch)>& write);

}  // namespace pleiad::apps
