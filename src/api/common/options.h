#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "api/common/field_reader.h"
#include "serving/answer.h"

namespace pleiad::api {

/// Largest values that a request may ask for.
inline constexpr std::size_t kMaxMessages = 10'000;
inline constexpr std::size_t kMaxTools = 1'024;
inline constexpr std::size_t kMaxStops = 64;
inline constexpr std::int64_t kMaxTokens = 100'000'000;

/// The share that stands for a top_p of 0, in use for "the likeliest token alone": any tiny one
/// means that.
inline constexpr double kLikeliestAlone = 1e-9;

/// Reads Ollama's `options` (num_predict, top_k, stop, num_ctx, ...) and max_soft_tokens into
/// `request`. What is harmless but has no effect here (num_gpu, ...) and what nobody knows is named
/// in `warnings`; wrong types and ranges throw RequestError.
void read_options(FieldReader& options, serving::AnswerRequest& request,
                  std::vector<std::string>& warnings);

/// `keep_alive`, `options`, `cache`, `cache_debug`, `ignore_eos`, `forced_text`,
/// `any_property_order`, `thinking_budget` and `repetition_guard` where the body has them: what
/// every API accepts beside its own fields.
void read_extensions(FieldReader& body, serving::AnswerRequest& request,
                     std::vector<std::string>& warnings);

/// "unknown field: options.foo"
void warn_of_unknown(const FieldReader& fields, std::vector<std::string>& warnings);

}  // namespace pleiad::api
