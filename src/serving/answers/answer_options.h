#pragma once

#include <optional>
#include <string>
#include <vector>

#include "serving/answer.h"
#include "serving/pool/model_runtime.h"
#include "store/model_entry.h"

namespace pleiad::serving {

/// How an answer is generated: what the request says, else the model's PARAMETERs,
/// else what came with its checkpoint.
struct AnswerOptions {
  GenerationOptions generation;
  std::vector<std::string> stop;
  std::optional<std::int64_t> context_length;  // as was asked for
  std::vector<std::string> warnings;
};

/// Throws RequestError that names the field.
AnswerOptions answer_options(const AnswerRequest& request, const store::ModelEntry& entry,
                             const ModelRuntime& model);

/// Tokens that a prompt and its reply may take, of a model that holds `supported`;
/// warns where more was asked for.
std::int64_t context_limit(const std::optional<std::int64_t>& wanted, std::int64_t supported,
                           std::vector<std::string>& warnings);

}  // namespace pleiad::serving
