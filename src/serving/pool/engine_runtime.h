#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "backend/backend.h"
#include "engine/compute_turn.h"
#include "model/gemma4/online.h"
#include "serving/pool/model_runtime.h"

namespace pleiad::serving {

/// A device for one model, whose steps have at most so many rows. May throw Error.
using BackendFactory = std::function<std::unique_ptr<Backend>(std::int64_t max_rows)>;

/// Models on backends of their own, each with an engine; they take turns to compute.
class EngineLoader final : public RuntimeLoader {
 public:
  /// `options.kv_bytes` is chosen for each model by who calls load().
  /// `online`: what checkpoints are quantized to while they load, if they are.
  EngineLoader(EngineOptions options, BackendFactory make_backend,
               std::optional<gemma4::OnlineOptions> online = {})
      : options_(options), make_backend_(std::move(make_backend)), online_(online) {}

  MemoryNeed need(const store::ModelEntry& entry) override;
  std::unique_ptr<ModelRuntime> load(const store::ModelEntry& entry, std::uint64_t kv_bytes,
                                     const LoadProgress& progress) override;

 private:
  EngineOptions options_;
  BackendFactory make_backend_;
  std::optional<gemma4::OnlineOptions> online_;
  ComputeTurn turn_;
};

}  // namespace pleiad::serving
