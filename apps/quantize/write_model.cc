#include "apps/quantize/write_model.h"

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <system_error>

#include "apps/common/interrupt.h"
#include "apps/common/output.h"
#include "apps/common/progress_bar.h"
#include "apps/quantize/report.h"
#include "backend/cpu/processors.h"
#include "base/clock.h"
#include "base/error.h"
#include "convert/write_folder.h"
#include "convert/write_gguf.h"

namespace pleiad::apps {
namespace {

namespace fs = std::filesystem;

convert::WriteReport write(const Checkpoint& source, const fs::path& target,
                           convert::Container container, const convert::WriteOptions& options) {
  return container == convert::Container::folder ? convert::write_folder(source, target, options)
                                                 : convert::write_gguf(source, target, options);
}

}  // namespace

void WriteFlags::add_to(CLI::App& command) {
  command
      .add_option("IN", source,
                  "A GGUF file, a Hugging Face folder (config.json and safetensors), or the name "
                  "of a model at hand")
      ->required();
  command.add_option("OUT", target, "What to write; it is whole or not there")->required();
  command
      .add_option("--threads,-t", threads,
                  "Threads to work with (default: all processors, and all physical cores to "
                  "calibrate); the bytes are the same with any number")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  command.add_flag("--force", force, "Replace OUT where it is there already");
  command.add_flag("--json", json, "Print the report as JSON");
}

void refuse_existing(const WriteFlags& flags) {
  std::error_code error;
  const fs::file_type type = fs::status(flags.target, error).type();
  const bool can_be_lost = type == fs::file_type::regular || type == fs::file_type::directory;
  if (!can_be_lost || flags.force) return;
  throw Error("{}: is there already; --force replaces it", flags.target);
}

int write_model(const WriteFlags& flags, const Checkpoint& source, convert::Container container,
                convert::WriteOptions options) {
  refuse_existing(flags);
  WrittenModel written;
  written.model_name = source.config().name;
  written.source = source.path();
  written.target = flags.target;
  written.calibrated = static_cast<bool>(options.importance);
  options.n_threads = flags.threads > 0 ? flags.threads : cpu::usable_processors();
  ProgressBar bar("writing", ProgressBar::Unit::bytes, true);
  const InterruptGuard guard(InterruptGuard::Signals::ending);
  std::signal(SIGXFSZ, SIG_IGN);  // a file that gets too large is an error like a full disk
  options.progress = [&](std::uint64_t done, std::uint64_t total) {
    InterruptGuard::throw_if_pressed();
    bar.update(done, total);
  };
  const double started = monotonic_seconds();
  try {
    written.report = write(source, flags.target, container, options);
  } catch (const Interrupted&) {
    bar.clear();
    print_note(fmt::format("pleiad: stopped; {} was not written\n", flags.target));
    return InterruptGuard::exit_status();
  }
  bar.clear();
  written.seconds = monotonic_seconds() - started;
  written.options = std::move(options);
  print(flags.json ? format_json(written) : format_text(written));
  return 0;
}

}  // namespace pleiad::apps
