#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "apps/common/cli_names.h"
#include "apps/common/environment.h"
#include "backend/cpu/cpu_backend.h"
#include "backend/kv_view.h"
#include "engine/loaded_model.h"
#include "store/model_entry.h"

namespace pleiad::apps {

inline constexpr const char* kKvTypeHelp =
    "How keys and values are cached: f32, f16, bf16, q8_0, or q4_0 (which loses quality, and "
    "leaves sliding layers at q8_0)";

/// Adds --activations.
CLI::Option* add_activations_flag(CLI::App& command, cpu::ActivationForm& form);

/// By the bits that flags and settings name: "8" and "16".
std::map<std::string, cpu::ActivationForm> activation_forms();

/// Adds --online.
CLI::Option* add_online_flag(CLI::App& command, std::optional<DType>& online);

/// With n_threads, or a thread for each physical core for 0, as for computing.
std::optional<gemma4::OnlineOptions> online_options(std::optional<DType> type, int n_threads);

/// By the names that flags use.
std::map<std::string, KvType> kv_types();

/// The flags of every command that computes with a model.
struct ModelFlags {
  std::string model;
  std::string projector;  // --mmproj; empty: where the model has its towers
  int threads = 0;
  std::int64_t context_length = 0;
  KvType kv_type = KvType::bf16;
  cpu::ActivationForm activations = cpu::ActivationForm::automatic;
  std::optional<DType> online;

  /// Adds MODEL, --mmproj, --threads, --ctx, --kv-type, --activations and --online to a command.
  /// Returns MODEL, which is required.
  CLI::Option* add_to(CLI::App& command);

  /// The same, with the projector that comes with a model at hand where --mmproj names none.
  ModelFlags with_projector_of(const store::ModelEntry& entry) const;

  /// What --online asks of the loader.
  std::optional<gemma4::OnlineOptions> online_options() const;
};

/// A model on a backend of its own.
struct RunnableModel {
  std::unique_ptr<cpu::CpuBackend> backend;
  std::unique_ptr<LoadedModel> model;
};

/// The CPU backend that the flags and the environment ask for.
std::unique_ptr<cpu::CpuBackend> make_backend(const ModelFlags& flags,
                                              const Environment& environment, int max_rows);

/// Finds and loads a model, with a progress bar.
RunnableModel load_model(const ModelFlags& flags, const Environment& environment);
/// Loads the model of a path. `on_progress` is called again and again; what it throws ends the
/// loading.
RunnableModel load_model(const ModelFlags& flags, const std::filesystem::path& path,
                         const Environment& environment, int max_logit_rows = 1,
                         const std::function<void()>& on_progress = {});

/// "Gemma 4 E2B, q4_0, 1.4 GB; its audio part cannot be used"
std::string describe(const LoadedModel& model);

/// The second half of that: what of the file is not used; empty when all is.
std::string describe_unused(const LoadedModel& model);

}  // namespace pleiad::apps
