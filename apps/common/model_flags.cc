#include "apps/common/model_flags.h"

#include <CLI/CLI.hpp>

#include "apps/common/choices.h"
#include "apps/common/model_location.h"
#include "apps/common/named_model.h"
#include "apps/common/progress_bar.h"
#include "backend/cpu/processors.h"
#include "base/clock.h"
#include "base/text_format.h"

namespace pleiad::apps {

std::map<std::string, KvType> kv_types() {
  std::map<std::string, KvType> types;
  for (const KvType type : {KvType::f32, KvType::f16, KvType::bf16, KvType::q8_0, KvType::q4_0}) {
    types.emplace(name(type), type);
  }
  return types;
}

std::map<std::string, cpu::ActivationForm> activation_forms() {
  return {{"8", cpu::ActivationForm::bytes}, {"16", cpu::ActivationForm::words}};
}

CLI::Option* add_activations_flag(CLI::App& command, cpu::ActivationForm& form) {
  return choose_among(
      command.add_option(
          "--activations", form,
          "Bits of what quantized weights are multiplied with: 16 is slower and more "
          "precise (default: 8; with AMX 16 for generated tokens and bf16 for "
          "prompts)"),
      activation_forms());
}

CLI::Option* add_online_flag(CLI::App& command, std::optional<DType>& online) {
  const std::map<std::string, DType> types = {
      {"fp8", DType::f8_e4m3}, {"q8_0", DType::q8_0}, {"q4_0", DType::q4_0}};
  return choose_among(
      command.add_option("--online", online,
                         "Quantize the weights of a BF16, F16 or F32 model while it loads"),
      types);
}

std::optional<gemma4::OnlineOptions> online_options(std::optional<DType> type, int n_threads) {
  if (!type) return std::nullopt;
  return gemma4::OnlineOptions{*type, n_threads > 0 ? n_threads : cpu::usable_cores(), false};
}

std::optional<gemma4::OnlineOptions> ModelFlags::online_options() const {
  return apps::online_options(online, threads);
}

CLI::Option* ModelFlags::add_to(CLI::App& command) {
  CLI::Option* named = command.add_option("MODEL", model, model_help())->required();
  command
      .add_option("--mmproj", projector,
                  "The file with the model's vision tower (default: the model's own, or the one "
                  "mmproj file beside a GGUF file)")
      ->type_name("FILE");
  command
      .add_option("--threads,-t", threads, "Threads to compute with (default: all physical cores)")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  command
      .add_option("--ctx,-c,--ctx-size,--num-ctx", context_length,
                  "Longest context in tokens; memory grows as it fills (default: what the "
                  "model supports)")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 30))
      ->type_name("N");
  choose_among(command.add_option("--kv-type", kv_type, kKvTypeHelp), kv_types());
  add_activations_flag(command, activations);
  add_online_flag(command, online);
  return named;
}

std::unique_ptr<cpu::CpuBackend> make_backend(const ModelFlags& flags,
                                              const Environment& environment, int max_rows) {
  return std::make_unique<cpu::CpuBackend>(
      cpu::CpuOptions{environment.isa, flags.threads, max_rows, flags.activations});
}

RunnableModel load_model(const ModelFlags& flags, const Environment& environment) {
  const store::ModelEntry entry = find_model_entry(flags.model, environment);
  return load_model(flags.with_projector_of(entry), entry.path, environment);
}

ModelFlags ModelFlags::with_projector_of(const store::ModelEntry& entry) const {
  ModelFlags flags = *this;
  if (flags.projector.empty()) flags.projector = entry.projector.string();
  return flags;
}

RunnableModel load_model(const ModelFlags& flags, const std::filesystem::path& path,
                         const Environment& environment, int max_logit_rows,
                         const std::function<void()>& on_progress) {
  RunnableModel result;
  LoadOptions options;
  options.max_logit_rows = max_logit_rows;
  options.online = flags.online_options();
  options.projector = flags.projector;
  options.started = monotonic_seconds();
  Checkpoint checkpoint = Checkpoint::open(path, {options.projector});
  options.max_rows = step_rows(checkpoint, options.max_rows, max_logit_rows);
  result.backend = make_backend(flags, environment, options.max_rows);
  ProgressBar bar("loading", ProgressBar::Unit::bytes, true);
  options.progress = [&](std::uint64_t done, std::uint64_t total) {
    if (on_progress) on_progress();
    bar.update(done, total);
  };
  result.model = std::make_unique<LoadedModel>(std::move(checkpoint), *result.backend, options);
  return result;
}

std::string describe_unused(const LoadedModel& model) {
  const UnusedTensors& unused = model.checkpoint().unused();
  const bool vision = unused.vision > 0 && !model.has_vision();
  const bool audio = unused.audio > 0 && !model.has_audio();
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
  // Why, whoever sends a sound or a picture is told.
  if (audio) add("its audio part cannot be used");
  if (vision) add("its vision part cannot be used");
  if (!unused.unknown.empty()) {
    add(fmt::format("{} tensors are unknown and not used ({}{})", unused.unknown.size(),
                    printable(unused.unknown.front()), unused.unknown.size() > 1 ? ", …" : ""));
  }
  return text;
}

std::string describe(const LoadedModel& model) {
  const Checkpoint& checkpoint = model.checkpoint();
  const std::string unused = describe_unused(model);
  const std::string online = model.online_type()
                                 ? fmt::format(", quantized to {} while loading",
                                               gemma4::online_type_name(*model.online_type()))
                                 : "";
  return fmt::format("{}, {}, {}{}{}{}", checkpoint.config().name, name(checkpoint.main_dtype()),
                     format_bytes(checkpoint.tensor_bytes()), online, unused.empty() ? "" : "; ",
                     unused);
}

}  // namespace pleiad::apps
