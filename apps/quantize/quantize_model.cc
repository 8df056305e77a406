#include "apps/quantize/quantize_model.h"

#include <optional>

#include "apps/common/usage_error.h"
#include "apps/quantize/calibration.h"
#include "base/ascii.h"
#include "base/error.h"
#include "convert/mix.h"
#include "convert/target_check.h"

namespace pleiad::apps {
namespace {

/// Bits of a weight in the source below which nothing is worth rounding again.
constexpr double kFewBits = 6;

/// Rounding twice loses twice: said, and refused where little is left to lose.
void judge_source(const Checkpoint& source, const QuantizeAsk& ask, const WriteWatch& watch) {
  const DType type = source.main_dtype();
  const double bits = 8.0 * traits(type).block_bytes / traits(type).block_size;
  if (bits >= 16) return;
  if (bits < kFewBits && !ask.from_quantized) {
    throw Error(
        "{}: its weights are {}, {:.1f} bits each: what that rounding lost does not come back, and "
        "another one loses more. Take the BF16 checkpoint, or --from-quantized",
        source.path().string(), name(type), bits);
  }
  watch.note(
      fmt::format("the weights of {} are {} already. Rounded twice they are worse than from the "
                  "BF16 checkpoint",
                  source.path().string(), name(type)));
}

/// Importance is for types that rounding searches scales of.
void check_calibration(const QuantizeAsk& ask, convert::FileType type) {
  using convert::FileType;
  if (ask.calibrate.empty()) return;
  if (ask.rounding == quantize::Rounding::nearest) {
    throw UsageError("--calibrate: --rounding nearest has no use for it");
  }
  for (const FileType without :
       {FileType::bf16, FileType::f16, FileType::fp8, FileType::fp8_dynamic}) {
    if (type == without) throw UsageError("--calibrate: --type {} has no use for it", ask.type);
  }
  convert::check_is_not_input(ask.write.target, ask.calibrate, "the text that is read");
}

/// A folder with the name of a file would be taken for one.
void refuse_other_container(const QuantizeAsk& ask, convert::FileType type) {
  const std::string extension =
      ascii_lower(std::filesystem::path(ask.write.target).extension().string());
  if (extension != ".gguf" || convert::container_of(type) != convert::Container::folder) return;
  throw UsageError(
      "{}: --type {} makes a Hugging Face folder, not a GGUF file: take a name without .gguf",
      ask.write.target, ask.type);
}

convert::Mix mix_of(const QuantizeAsk& ask) {
  convert::Mix mix;
  mix.type = convert::parse_file_type(ask.type);
  for (const std::string& keep : ask.keep) convert::add_keep(mix, keep);
  return mix;
}

}  // namespace

WrittenModel quantize_model(const QuantizeAsk& ask, const Environment& environment,
                            const WriteWatch& watch) {
  convert::WriteOptions options;
  options.mix = as_usage([&] { return mix_of(ask); });
  check_calibration(ask, options.mix.type);
  options.rounding = ask.rounding;
  options.compare_rounding = ask.rounding == quantize::Rounding::search;
  const convert::Container container = *convert::container_of(options.mix.type);
  ask.write.set_towers(options, container);  // what is wrong with flags, before all else
  refuse_other_container(ask, options.mix.type);
  refuse_existing(ask.write);
  std::filesystem::path path;
  {
    const Checkpoint source = ask.write.open(environment);
    judge_source(source, ask, watch);
    set_tower_target(ask.write, source, container, options);
    path = source.path();
  }
  // The model that computes is gone before the file is written.
  std::optional<eval::ImportanceMatrix> importance;
  if (!ask.calibrate.empty()) {
    importance = measure_importance_of(path, ask.calibrate, ask.write.threads, environment, watch);
    options.importance = [&](std::string_view tensor) { return importance->find(tensor); };
  }
  const Checkpoint source = ask.write.open(environment);
  return write_model(ask.write, source, container, options, watch);
}

}  // namespace pleiad::apps
