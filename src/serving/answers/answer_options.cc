#include "serving/answers/answer_options.h"

#include "base/text_format.h"
#include "serving/answers/model_parameters.h"
#include "serving/request_error.h"

namespace pleiad::serving {
namespace {

template <typename T, typename U>
void set(T& target, const std::optional<U>& model, const std::optional<U>& request) {
  if (model) target = *model;
  if (request) target = *request;
}

sampling::SamplingOptions merged(const sampling::SamplingOptions& defaults,
                                 const SamplingRequest& model, const SamplingRequest& request) {
  sampling::SamplingOptions options = defaults;
  set(options.temperature, model.temperature, request.temperature);
  set(options.top_k, model.top_k, request.top_k);
  set(options.typical_p, model.typical_p, request.typical_p);
  set(options.top_p, model.top_p, request.top_p);
  set(options.min_p, model.min_p, request.min_p);
  set(options.repeat_penalty, model.repeat_penalty, request.repeat_penalty);
  set(options.repeat_last_n, model.repeat_last_n, request.repeat_last_n);
  set(options.presence_penalty, model.presence_penalty, request.presence_penalty);
  set(options.frequency_penalty, model.frequency_penalty, request.frequency_penalty);
  set(options.seed, model.seed, request.seed);
  options.logit_bias = request.logit_bias;
  options.n_logprobs = request.n_logprobs;
  return options;
}

sampling::StopTokens with(const sampling::StopTokens& own, const std::vector<std::int32_t>& more,
                          const ModelRuntime& model) {
  std::vector<std::int32_t> tokens = own.tokens();
  for (const std::int32_t token : more) {
    if (static_cast<std::size_t>(token) >= model.vocab_size()) {
      throw bad_field(fmt::format("stop_token_ids: expected numbers below {}, found {}",
                                  model.vocab_size(), token));
    }
    tokens.push_back(token);
  }
  return sampling::StopTokens(std::move(tokens));
}

}  // namespace

AnswerOptions answer_options(const AnswerRequest& request, const store::ModelEntry& entry,
                             const ModelRuntime& model) {
  const ModelParameters own = model_parameters(entry);
  AnswerOptions options;
  options.warnings = own.warnings;
  options.warnings.insert(options.warnings.end(), entry.warnings.begin(), entry.warnings.end());
  auto sampling = sampling::check_options(
      merged(model.sampling_defaults(), own.sampling, request.sampling), model.vocab_size());
  if (!sampling) throw bad_field(sampling.message());
  options.generation.sampling = std::move(sampling).value();
  options.generation.forced_runs = request.forced_text;
  options.generation.stop_tokens = model.stop_tokens();
  if (!request.stop_tokens.empty()) {
    options.generation.stop_tokens = with(model.stop_tokens(), request.stop_tokens, model);
  }
  if (request.ignore_end) {
    // Logits are within 30 of zero, so such a token is always the last choice. A reply in a
    // form can end all the same: where it is complete, nothing else may come.
    for (const std::int32_t token : model.stop_tokens().tokens()) {
      if (token < 0 || static_cast<std::size_t>(token) >= model.vocab_size()) continue;
      options.generation.sampling.logit_bias.emplace_back(token, -100.0F);
    }
  }
  set(options.generation.max_tokens, own.max_tokens, request.max_tokens);
  options.stop = request.stop.value_or(own.stop);
  options.context_length = request.context_length ? request.context_length : own.context_length;
  if (request.context_length && *request.context_length < 1) {
    throw bad_field(
        fmt::format("num_ctx: expected at least 1 token, found {}", *request.context_length));
  }
  if (request.timeout_seconds && !(*request.timeout_seconds > 0)) {
    throw bad_field(
        fmt::format("timeout: expected more than 0 seconds, found {}", *request.timeout_seconds));
  }
  return options;
}

std::int64_t context_limit(const std::optional<std::int64_t>& wanted, std::int64_t supported,
                           std::vector<std::string>& warnings) {
  if (!wanted) return supported;
  if (*wanted > supported) {
    warnings.push_back(fmt::format("num_ctx: {} tokens were asked for; this model runs with {}",
                                   *wanted, supported));
    return supported;
  }
  return *wanted;
}

}  // namespace pleiad::serving
