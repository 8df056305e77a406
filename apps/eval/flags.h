#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/common/cli_names.h"
#include "backend/cpu/cpu_backend.h"
#include "backend/kv_view.h"
#include "eval/text_windows.h"

namespace pleiad::apps {

/// What `pleiad eval` was asked for.
struct EvalFlags {
  std::vector<std::string> models;  // one or two
  std::string projector;            // --mmproj, of each of them; empty: where it has its towers
  int threads = 0;
  bool json = false;
  bool verbose = false;

  std::string text;
  bool control_tokens = false;
  std::string against;
  std::string save_logits;
  double save_tail = 1e-4;
  eval::WindowOptions windows;
  std::int64_t stride = 0;  // 0: half the context
  KvType kv_type = KvType::bf16;
  cpu::ActivationForm activations = cpu::ActivationForm::automatic;

  bool battery = false;
  std::vector<std::string> checks;
  bool run_code = false;
  bool list = false;
  int n_samples = 1;
  std::uint64_t seed = 1;
  bool think = false;

  bool wants_text() const { return !text.empty() || !against.empty(); }
  /// The battery is what runs where nothing else was asked for.
  bool wants_battery() const { return battery || !checks.empty() || run_code || !wants_text(); }

  void add_to(CLI::App& command);
  /// Throws CLI::ValidationError where flags contradict each other.
  void check() const;
};

}  // namespace pleiad::apps
