#pragma once

#include <optional>
#include <string>
#include <vector>

#include "serving/answer.h"
#include "store/model_entry.h"

namespace pleiad::serving {

/// The PARAMETERs of a model's Modelfile.
struct ModelParameters {
  SamplingRequest sampling;
  std::optional<std::int64_t> max_tokens;      // num_predict
  std::optional<std::int64_t> context_length;  // num_ctx
  std::vector<std::string> stop;
  std::vector<std::string> warnings;  // of those that mean nothing here
};

/// Throws RequestError (the model's, not the client's mistake: load_failed) where one
/// is of the wrong type.
ModelParameters model_parameters(const store::ModelEntry& entry);

}  // namespace pleiad::serving
