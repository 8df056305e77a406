#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "formats/problem_list.h"
#include "model/gemma4/config.h"

// What both readers of a configuration share: limits, derived fields, checks.

namespace pleiad::gemma4 {

/// The limits are far above every model and keep all products of sizes small.
inline constexpr std::int64_t kMaxLayers = 1'024;
inline constexpr std::int64_t kMaxVocab = 1 << 24;
inline constexpr std::int64_t kMaxModelDim = 1 << 16;
inline constexpr std::int64_t kMaxHeads = 1'024;
inline constexpr std::int64_t kMaxHeadDim = 8'192;
inline constexpr std::int64_t kMaxFfnDim = 1 << 20;
inline constexpr std::int64_t kMaxExperts = 4'096;
inline constexpr std::int64_t kMaxContext = 1 << 30;

/// Throws LoadError: says what the architecture is, as far as we know it, and
/// what is supported.
[[noreturn]] void refuse_architecture(std::string_view found, const std::string& file);

/// Sets LayerConfig::kv_layer of every layer: the last `n_shared` layers read the
/// keys and values of the last earlier layer of their kind.
void share_kv(Config& config, std::int64_t n_shared, ProblemList& problems);

/// "Gemma 4 E2B" where the shape is that of a known model.
std::string name_from_shape(const Config& config);

/// How the fields must fit together, once each is in its own range.
void check_config(const Config& config, ProblemList& problems);

}  // namespace pleiad::gemma4
