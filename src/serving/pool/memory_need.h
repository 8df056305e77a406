#pragma once

#include <optional>

#include "engine/engine.h"
#include "model/checkpoint.h"
#include "model/gemma4/online.h"
#include "serving/pool/model_runtime.h"

namespace pleiad::serving {

/// What a checkpoint will take once it runs, from its configuration and the sizes of
/// its tensors, quantized or as they are.
MemoryNeed memory_need(const Checkpoint& checkpoint, const EngineOptions& options,
                       const std::optional<gemma4::OnlineOptions>& online = {});

/// Bytes of keys and values of a sequence of n tokens.
std::uint64_t kv_bytes_of(const gemma4::Config& config, KvType type, std::int64_t n);

}  // namespace pleiad::serving
