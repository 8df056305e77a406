#include "apps/quantize/write_model.h"

#include <fmt/ranges.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

#include "apps/common/interrupt.h"
#include "apps/common/model_location.h"
#include "apps/common/output.h"
#include "apps/common/progress_bar.h"
#include "apps/common/usage_error.h"
#include "apps/quantize/report.h"
#include "backend/cpu/processors.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/os/signals.h"
#include "base/text_format.h"
#include "convert/tower_plan.h"
#include "convert/write_folder.h"
#include "convert/write_gguf.h"
#include "model/gemma4/projector_file.h"

namespace pleiad::apps {
namespace {

namespace fs = std::filesystem;

convert::WriteReport write(const Checkpoint& source, const fs::path& target,
                           convert::Container container, const convert::WriteOptions& options) {
  return container == convert::Container::folder ? convert::write_folder(source, target, options)
                                                 : convert::write_gguf(source, target, options);
}

constexpr const char* kTowerTypes = "none|f32|bf16|f16|q8_0|q6_k|q5_k|q5_0|q4_k|q4_0";

/// What `flag` says of a tower: one of kTowerTypes, or nothing. Throws UsageError.
convert::TowerOptions tower_options(std::string_view flag, const std::string& text,
                                    convert::Container container) {
  constexpr std::array kTypes = {DType::f32,  DType::bf16, DType::f16,  DType::q8_0, DType::q6_k,
                                 DType::q5_k, DType::q5_0, DType::q4_k, DType::q4_0};
  if (text == "none") return {.type = {}, .left_out = true};
  if (text.empty()) return {};
  const std::optional<DType> type = dtype_from_name(text);
  if (!type || std::ranges::find(kTypes, *type) == kTypes.end()) {
    std::vector<std::string_view> names;
    for (const DType known : kTypes) names.push_back(name(known));
    throw UsageError("{}: expected none or one of {}, found '{}'", flag, fmt::join(names, ", "),
                     printable(text));
  }
  if (container == convert::Container::folder && !is_unquantized(*type)) {
    throw UsageError("{} {}: a Hugging Face folder holds towers as bf16, f16 or f32", flag, text);
  }
  return {.type = type, .left_out = false};
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
  command
      .add_option("--mmproj", projector,
                  "The file with IN's towers (default: IN's own, or the mmproj file beside a GGUF "
                  "file)")
      ->type_name("FILE");
  command
      .add_option("--mmproj-out", target_projector,
                  "Where a GGUF file's towers are written (default: mmproj-NAME.gguf beside OUT)")
      ->type_name("FILE");
  command
      .add_option("--vision-type", vision_type,
                  "How the matrices of the vision tower are stored (default: as they are, BF16 in "
                  "released models); none leaves the tower out")
      ->type_name(kTowerTypes);
  command
      .add_option("--audio-type", audio_type,
                  "The same of the audio tower; of the 12B, of its matrix for sounds")
      ->type_name(kTowerTypes);
  command.add_flag("--json", json, "Print the report as JSON");
}

Checkpoint WriteFlags::open(const Environment& environment) const {
  const store::ModelEntry entry = find_model_entry(source, environment);
  return Checkpoint::open(entry.path, {projector.empty() ? entry.projector : fs::path(projector)});
}

void WriteFlags::set_towers(convert::WriteOptions& options, convert::Container container) const {
  if (!target_projector.empty() && container == convert::Container::folder) {
    throw UsageError(
        "--mmproj-out: expected a GGUF file as OUT, found a folder, which holds its "
        "towers itself");
  }
  options.projector = target_projector;
  for (const gemma4::EncoderKind kind : gemma4::kEncoderKinds) {
    options.towers.of(kind) = tower_options(convert::type_flag(kind), tower_type(kind), container);
  }
}

namespace {

void refuse_existing_file(const fs::path& target, bool force) {
  std::error_code error;
  const fs::file_type type = fs::status(target, error).type();
  const bool can_be_lost = type == fs::file_type::regular || type == fs::file_type::directory;
  if (!can_be_lost || force) return;
  throw Error("{}: is there already; --force replaces it", target.string());
}

}  // namespace

void refuse_existing(const WriteFlags& flags) { refuse_existing_file(flags.target, flags.force); }

void set_tower_target(const WriteFlags& flags, const Checkpoint& source,
                      convert::Container container, convert::WriteOptions& options) {
  flags.set_towers(options, container);
  const std::string path = source.path().string();
  const auto refuse_without = [&](gemma4::EncoderKind kind, const std::string& problem) {
    if (problem.empty() || !options.towers.of(kind).type) return;
    throw Error("{}: {} {}", convert::type_flag(kind), path, problem);
  };
  refuse_without(gemma4::EncoderKind::vision, source.vision_problem());
  refuse_without(gemma4::EncoderKind::audio, source.audio_problem());
  convert::refuse_lost_towers(source, container, options);
  if (!flags.target_projector.empty() && source.vision() == nullptr && source.audio() == nullptr) {
    throw Error("--mmproj-out: {} {}", path, source.vision_problem());
  }
  if (!flags.target_projector.empty() && !convert::writes_projector(source, options)) {
    throw UsageError("--mmproj-out: expected a tower to be written, found all of {} left out",
                     path);
  }
  if (container == convert::Container::folder || !convert::writes_projector(source, options)) {
    return;
  }
  refuse_existing_file(convert::projector_place(flags.target, options), flags.force);
}

namespace {

/// An older projector file beside OUT that was not replaced is what OUT is read with.
void note_what_stays(const fs::path& target, const convert::WriteReport& report,
                     const WriteWatch& watch) {
  const fs::path beside = gemma4::projector_path_beside(target);
  const bool is_new =
      report.projector && report.projector->file.lexically_normal() == beside.lexically_normal();
  std::error_code error;
  if (is_new || !fs::is_regular_file(beside, error)) return;
  watch.note(
      fmt::format("{} lies beside the new model and was not written now: the model is read with it",
                  printable(beside.string())));
}

}  // namespace

WrittenModel write_model(const WriteFlags& flags, const Checkpoint& source,
                         convert::Container container, convert::WriteOptions options,
                         const WriteWatch& watch) {
  refuse_existing(flags);
  set_tower_target(flags, source, container, options);
  WrittenModel written;
  written.model_name = source.config().name;
  written.source = source.path();
  written.target = flags.target;
  written.calibrated = static_cast<bool>(options.importance);
  options.n_threads = flags.threads > 0 ? flags.threads : cpu::usable_processors();
  options.progress = [&watch](std::uint64_t done, std::uint64_t total) {
    watch.check();
    watch.progress("writing", done, total);
  };
  const double started = monotonic_seconds();
  written.report = write(source, flags.target, container, options);
  written.seconds = monotonic_seconds() - started;
  options.progress = {};  // what these two refer to may be gone
  options.importance = {};
  written.options = std::move(options);
  if (container == convert::Container::gguf) note_what_stays(flags.target, written.report, watch);
  return written;
}

int report_writing(const WriteFlags& flags,
                   const std::function<WrittenModel(const WriteWatch& watch)>& write) {
  const InterruptGuard guard(InterruptGuard::Signals::ending);
  os::survive_size_limits();
  std::string what;
  std::optional<ProgressBar> bar;
  WriteWatch watch;
  watch.check = InterruptGuard::throw_if_pressed;
  watch.progress = [&](std::string_view title, std::uint64_t done, std::uint64_t total) {
    if (title != what) {
      if (bar) bar->clear();
      what = title;
      bar.emplace(what, what == "writing" ? ProgressBar::Unit::bytes : ProgressBar::Unit::tokens,
                  true);
    }
    bar->update(done, total);
  };
  const auto clear = [&] {
    if (bar) bar->clear();
    bar.reset();
    what.clear();
  };
  watch.note = [&](const std::string& text) {
    clear();
    print_note("pleiad: " + text + "\n");
  };
  try {
    const WrittenModel written = write(watch);
    clear();
    print(flags.json ? format_json(written) : format_text(written));
    return 0;
  } catch (const Interrupted&) {
    clear();
    print_note(fmt::format("pleiad: stopped; {} was not written\n", flags.target));
    return InterruptGuard::exit_status();
  }
}

}  // namespace pleiad::apps
