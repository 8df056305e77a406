#include "api/openai/shared_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "api/common/options.h"
#include "api/common/request_error.h"
#include "api/common/request_json.h"
#include "api/common/thinking_fields.h"
#include "base/text_format.h"

namespace pleiad::api::openai {
namespace {

constexpr std::size_t kMaxStopStrings = 16;
constexpr double kMaxBias = 100;

// What the answers repeat; OpenAI's limits, where it has any.
constexpr std::size_t kMaxLabelCharacters = 512;
constexpr std::size_t kMaxMetadata = 16;
constexpr std::size_t kMaxMetadataKeyCharacters = 64;

void read_logit_bias(FieldReader& body, serving::SamplingRequest& sampling) {
  const Json* biases = body.object("logit_bias");
  if (!biases) return;
  for (const auto& [key, bias] : biases->items()) {
    const std::string path = fmt::format("{}.{}", body.path_of("logit_bias"), printable(key));
    std::int32_t token = 0;
    const auto [end, problem] = std::from_chars(key.data(), key.data() + key.size(), token);
    if (problem != std::errc() || end != key.data() + key.size() || token < 0) {
      throw RequestError(path, "the key is expected to be a token's number");
    }
    const double value = bias.is_number() ? bias.get<double>() : kMaxBias * 2;
    if (!(std::abs(value) <= kMaxBias)) {
      throw RequestError(path, fmt::format("expected a number from -{0} to {0}, found {1}",
                                           kMaxBias, describe(bias)));
    }
    sampling.logit_bias.emplace_back(token, static_cast<float>(value));
  }
}

std::size_t n_characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80;  // continues none
  }));
}

void check_label(const std::string& path, std::string_view text) {
  const std::size_t n = n_characters(text);
  if (n <= kMaxLabelCharacters) return;
  throw RequestError(
      path, fmt::format("expected at most {} characters, found {}", kMaxLabelCharacters, n));
}

void check_metadata(const Json& metadata, const std::string& path) {
  if (metadata.size() > kMaxMetadata) {
    throw RequestError(
        path, fmt::format("expected at most {} keys, found {}", kMaxMetadata, metadata.size()));
  }
  for (const auto& [key, value] : metadata.items()) {
    if (const std::size_t n = n_characters(key); n > kMaxMetadataKeyCharacters) {
      throw RequestError(path,
                         fmt::format("expected keys of at most {} characters, found one of {}",
                                     kMaxMetadataKeyCharacters, n));
    }
    const std::string path_of_value = fmt::format("{}.{}", path, printable(key));
    if (!value.is_string()) {
      throw RequestError(path_of_value,
                         fmt::format("expected a string, found {}", describe(value)));
    }
    check_label(path_of_value, value.get_ref<const std::string&>());
  }
}

}  // namespace

void read_sampling(FieldReader& body, serving::AnswerRequest& request) {
  serving::SamplingRequest& sampling = request.sampling;
  const auto take = [](auto& field, auto value) {
    if (value) field = *value;
  };
  take(sampling.temperature, body.number("temperature", 0, 2));
  take(sampling.top_p, body.number("top_p", 0, 1));
  if (sampling.top_p == 0.0) sampling.top_p = kLikeliestAlone;
  take(sampling.min_p, body.number("min_p", 0, 1));
  take(sampling.presence_penalty, body.number("presence_penalty", -2, 2));
  take(sampling.frequency_penalty, body.number("frequency_penalty", -2, 2));
  if (const auto top_k = body.integer("top_k", 0, 1'000'000)) {
    sampling.top_k = static_cast<int>(*top_k);
  }
  const auto seed = body.integer("seed", std::numeric_limits<std::int64_t>::min(),
                                 std::numeric_limits<std::int64_t>::max());
  if (seed && *seed == -1) sampling.seed.reset();  // any, as clients of other servers write it
  if (seed && *seed != -1) sampling.seed = static_cast<std::uint64_t>(*seed);
  read_logit_bias(body, sampling);
}

void read_stop(FieldReader& body, serving::AnswerRequest& request) {
  auto stop = body.texts("stop", kMaxStopStrings);
  if (!stop) return;
  if (std::find(stop->begin(), stop->end(), "") != stop->end()) {
    throw RequestError(body.path_of("stop"), "a stop string must not be empty");
  }
  request.stop = std::move(stop);
}

void read_effort(FieldReader& fields, std::string_view key, serving::AnswerRequest& request) {
  const auto effort =
      fields.one_of(key, {"none", "minimal", "low", "medium", "high", "xhigh", "max"});
  if (effort) set_thinking_level(request, fields.path_of(key), *effort);
}

void read_schema(FieldReader& holder, serving::AnswerRequest& request) {
  (void)holder.required_text("name");
  (void)holder.text("description");
  (void)holder.flag("strict");  // the answer always follows the schema
  const Json* schema = holder.object("schema", "a JSON schema, which is an object");
  if (schema) request.format = *schema;
  request.format_path = holder.path_of("schema");
}

void read_labels(FieldReader& body) {
  for (const std::string_view key : {"user", "safety_identifier", "prompt_cache_key"}) {
    const auto label = body.text(key);
    if (label) check_label(body.path_of(key), *label);
  }
  (void)body.one_of("prompt_cache_retention", {"in_memory", "in-memory", "24h"});
  (void)body.one_of("service_tier", {"auto", "default", "flex", "scale", "priority", "fast"});
  (void)body.flag("store");
  const Json* metadata = body.object("metadata");
  if (metadata) check_metadata(*metadata, body.path_of("metadata"));
}

std::optional<std::int64_t> read_token_limit(FieldReader& body, std::string_view key,
                                             std::int64_t least) {
  const auto limit = body.integer(key, -1, kMaxTokens);
  if (limit == 0 && least > 0) {
    body.refuse(key, fmt::format("an integer from 1 to {}, or -1 for no limit", kMaxTokens));
  }
  return limit;
}

void read_verbosity(FieldReader& fields, RequestNotes& notes) {
  const auto verbosity = fields.one_of("verbosity", {"low", "medium", "high"});
  if (!verbosity || *verbosity == "medium") return;
  notes.without_effect(fields, "verbosity", "the models have no such setting; ask for it in words");
}

bool read_include_usage(FieldReader& body, bool stream, RequestNotes& notes) {
  auto options = body.child("stream_options");
  if (!options) return false;
  if (!stream) notes.without_effect(body, "stream_options", "the answer is no stream");
  const bool wanted = options->flag("include_usage").value_or(false);
  if (options->flag("include_obfuscation").value_or(false)) {
    notes.without_effect(*options, "include_obfuscation", "answers are not padded");
  }
  notes.unknown(*options);
  return wanted;
}

void refuse_given(FieldReader& body, std::string_view key, std::string_view why) {
  if (!body.has(key)) return;
  throw RequestError(body.path_of(key), fmt::format("not supported: {}", why),
                     "unsupported_parameter");
}

}  // namespace pleiad::api::openai
