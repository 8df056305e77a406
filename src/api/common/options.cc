#include "api/common/options.h"

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <string_view>

#include "api/common/keep_alive.h"
#include "api/common/media_reader.h"
#include "api/common/thinking_fields.h"

namespace pleiad::api {
namespace {

constexpr double kLargest = 1e6;

std::optional<int> small_integer(FieldReader& options, std::string_view key, int min, int max) {
  const auto number = options.integer(key, min, max);
  if (!number) return std::nullopt;
  return static_cast<int>(*number);
}

void read_sampling(FieldReader& options, serving::SamplingRequest& sampling) {
  const auto take = [](auto& field, auto value) {
    if (value) field = value;
  };
  take(sampling.temperature, options.number("temperature", 0, 100));
  take(sampling.top_p, options.number("top_p", 0, 1));
  if (sampling.top_p == 0.0) sampling.top_p = kLikeliestAlone;
  take(sampling.min_p, options.number("min_p", 0, 1));
  take(sampling.typical_p, options.number("typical_p", 0, 1));
  take(sampling.repeat_penalty, options.number_above("repeat_penalty", 0, kLargest));
  take(sampling.presence_penalty, options.number("presence_penalty", -2, 2));
  take(sampling.frequency_penalty, options.number("frequency_penalty", -2, 2));
  take(sampling.top_k, small_integer(options, "top_k", 0, 1'000'000));
  take(sampling.repeat_last_n, small_integer(options, "repeat_last_n", -1, 1'000'000));
  const auto seed = options.integer("seed", std::numeric_limits<std::int64_t>::min(),
                                    std::numeric_limits<std::int64_t>::max());
  // Ollama's -1: any seed.
  if (seed && *seed != -1) sampling.seed = static_cast<std::uint64_t>(*seed);
}

/// What runners of others take and what has no effect here, with its reason.
struct Ignored {
  std::string_view key;
  std::string_view why;
};
constexpr Ignored kIgnored[] = {
    {"num_batch", "prompts are computed in parts of the server's choice"},
    {"num_gpu", "the server chooses where the model runs"},
    {"main_gpu", "the server chooses where the model runs"},
    {"low_vram", "the server plans its memory"},
    {"use_mmap", "files are always mapped"},
    {"use_mlock", "files are always mapped"},
    {"num_thread", "threads belong to the server (--threads)"},
    {"numa", "threads belong to the server (--threads)"},
    {"num_keep", "a context is never shifted"},
    {"draft_num_predict", "there is no draft model"},
    {"f16_kv", "the type of the cache belongs to the server (--kv-type)"},
    {"logits_all", "it has no meaning here"},
    {"vocab_only", "it has no meaning here"},
    {"embedding_only", "it has no meaning here"},
};
/// Samplers that are not there; their neutral value changes nothing.
struct NeutralOnly {
  std::string_view key;
  double neutral;
};
constexpr NeutralOnly kNeutralOnly[] = {{"tfs_z", 1}, {"mirostat", 0}};
constexpr std::string_view kOfMirostat[] = {"mirostat_eta", "mirostat_tau"};

void read_ignored(FieldReader& options, std::vector<std::string>& warnings) {
  for (const auto& [key, why] : kIgnored) {
    if (options.has(key)) {
      warnings.push_back(fmt::format("{} has no effect: {}", options.path_of(key), why));
    }
  }
  for (const auto& [key, neutral] : kNeutralOnly) {
    const auto value = options.number(key, -kLargest, kLargest);
    if (!value) continue;
    if (*value != neutral)
      options.refuse(key, fmt::format("{}: this sampler is not available", neutral));
  }
  for (const std::string_view key : kOfMirostat) {
    if (options.has(key)) {
      warnings.push_back(fmt::format("{} has no effect: mirostat is off", options.path_of(key)));
    }
  }
  if (const auto newline = options.flag("penalize_newline"); newline && !*newline) {
    options.refuse("penalize_newline", "true: line breaks are penalized as other tokens are");
  }
}

}  // namespace

void read_options(FieldReader& options, serving::AnswerRequest& request,
                  std::vector<std::string>& warnings) {
  read_sampling(options, request.sampling);
  // -1: no limit; Ollama's -2 (until the context is full) means the same here.
  if (const auto most = options.integer("num_predict", -2, kMaxTokens)) request.max_tokens = most;
  if (const auto length = options.integer("num_ctx", 0, kMaxTokens); length && *length > 0) {
    request.context_length = length;
  }
  if (auto stop = options.texts("stop", kMaxStops)) request.stop = std::move(stop);
  read_budget(options, request.media_budget, request.media_automatic);
  read_request_videos(options, request);
  read_reply_limits(options, request);
  read_ignored(options, warnings);
  warn_of_unknown(options, warnings);
}

void read_extensions(FieldReader& body, serving::AnswerRequest& request,
                     std::vector<std::string>& warnings) {
  request.keep_alive = read_keep_alive(body);
  if (const auto cache = body.flag("cache")) request.use_cache = *cache;
  if (const auto ignore = body.flag("ignore_eos")) request.ignore_end = *ignore;
  if (const auto debug = body.flag("cache_debug")) request.explain_cache = *debug;
  if (const auto forced = body.flag("forced_text")) request.forced_text = *forced;
  if (const auto any = body.flag("any_property_order")) request.any_property_order = *any;
  read_reply_limits(body, request);  // before what is in `options`
  if (auto options = body.child("options")) read_options(*options, request, warnings);
}

void warn_of_unknown(const FieldReader& fields, std::vector<std::string>& warnings) {
  constexpr std::size_t kMost = 20;
  const std::vector<std::string> unknown = fields.unknown();
  for (std::size_t i = 0; i < unknown.size() && i < kMost; ++i) {
    warnings.push_back(fmt::format("unknown field: {}", unknown[i]));
  }
  if (unknown.size() > kMost) {
    warnings.push_back(fmt::format("and {} more unknown fields", unknown.size() - kMost));
  }
}

}  // namespace pleiad::api
