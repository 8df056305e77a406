#include "model/checkpoint_generation.h"

#include <algorithm>

#include "base/error.h"
#include "base/text_format.h"
#include "formats/bounded_json.h"
#include "formats/gguf/metadata.h"
#include "formats/problem_list.h"

namespace pleiad {
namespace {

constexpr std::int64_t kMaxToken = (1 << 24) - 1;
constexpr std::int64_t kMaxTopK = 1 << 24;
constexpr double kMaxTemperature = 100.0;
constexpr double kMaxPenalty = 100.0;
constexpr std::size_t kMaxListedTokens = 1'000;

void add_token(std::int64_t token, std::vector<std::int32_t>& tokens) {
  const auto narrow = static_cast<std::int32_t>(token);
  if (std::ranges::find(tokens, narrow) == tokens.end()) tokens.push_back(narrow);
}

/// A whole number from 0 to max, or nothing.
std::optional<std::int64_t> natural(const BoundedJson& value, std::int64_t max) {
  if (!value.is_number_unsigned()) return std::nullopt;
  const auto number = value.get<std::uint64_t>();
  if (number > static_cast<std::uint64_t>(max)) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

std::optional<double> number_up_to(const BoundedJson& value, double max) {
  if (!value.is_number()) return std::nullopt;
  const auto number = value.get<double>();
  if (!(number >= 0.0 && number <= max)) return std::nullopt;
  return number;
}

/// False where the value is neither a token nor a list of tokens.
bool read_listed_tokens(const BoundedJson& value, std::vector<std::int32_t>& tokens) {
  const auto read_one = [&](const BoundedJson& element) {
    const auto token = natural(element, kMaxToken);
    if (token) add_token(*token, tokens);
    return token.has_value();
  };
  if (!value.is_array()) return read_one(value);
  return value.size() <= kMaxListedTokens && std::ranges::all_of(value, read_one);
}

/// Short text of a value for a message.
std::string shown_value(const BoundedJson& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "an array";
  return printable(value.dump(-1, ' ', true, BoundedJson::error_handler_t::replace), 40);
}

}  // namespace

GenerationDefaults parse_generation_config(std::string_view json, const std::string& file) {
  const BoundedJson root = parse_bounded_json(json, file);
  if (!root.is_object()) throw LoadError("{}: expected a JSON object", file);
  ProblemList problems(file);
  GenerationDefaults defaults;
  const auto find = [&](std::string_view field) -> const BoundedJson* {
    const auto found = root.find(field);
    return found == root.end() || found->is_null() ? nullptr : &*found;
  };
  const auto report = [&](std::string_view field, std::string_view expected) {
    problems.add("'{}': expected {}, found {}", field, expected, shown_value(*find(field)));
  };
  if (const BoundedJson* value = find("temperature")) {
    defaults.temperature = number_up_to(*value, kMaxTemperature);
    if (!defaults.temperature) report("temperature", "a number from 0 to 100");
  }
  if (const BoundedJson* value = find("top_p")) {
    defaults.top_p = number_up_to(*value, 1.0);
    if (!defaults.top_p) report("top_p", "a number from 0 to 1");
  }
  if (const BoundedJson* value = find("min_p")) {
    defaults.min_p = number_up_to(*value, 1.0);
    if (!defaults.min_p) report("min_p", "a number from 0 to 1");
  }
  if (const BoundedJson* value = find("repetition_penalty")) {
    defaults.repeat_penalty = number_up_to(*value, kMaxPenalty);
    if (!defaults.repeat_penalty) report("repetition_penalty", "a number from 0 to 100");
  }
  if (const BoundedJson* value = find("top_k")) {
    if (const auto top_k = natural(*value, kMaxTopK)) {
      defaults.top_k = static_cast<int>(*top_k);
    } else {
      report("top_k", "a whole number, 0 or more");
    }
  }
  if (const BoundedJson* value = find("do_sample")) {
    if (!value->is_boolean()) {
      report("do_sample", "true or false");
    } else if (!value->get<bool>()) {
      defaults.temperature = 0.0;  // always the likeliest token
    }
  }
  if (const BoundedJson* value = find("eos_token_id")) {
    if (!read_listed_tokens(*value, defaults.stop_tokens)) {
      report("eos_token_id", "a token number or a list of them");
    }
  }
  if (const BoundedJson* value = find("suppress_tokens")) {
    if (!value->is_array() || !read_listed_tokens(*value, defaults.suppressed_tokens)) {
      report("suppress_tokens", "a list of at most 1000 token numbers");
    }
  }
  problems.throw_if_any();
  return defaults;
}

GenerationDefaults generation_from_gguf(const gguf::Metadata& metadata, const std::string& file) {
  ProblemList problems(file);
  GenerationDefaults defaults;
  const auto attempt = [&](auto read) {
    try {
      read();
    } catch (const LoadError& error) {
      problems.add_error(error.what());
    }
  };
  const auto in_range = [&](std::string_view key, auto value, auto max) {
    if (value >= 0 && value <= max) return true;
    problems.add("metadata key '{}': expected 0 to {}, found {}", key, max, value);
    return false;
  };
  attempt([&] {
    constexpr std::string_view key = "general.sampling.temp";
    const auto value = metadata.find_float(key);
    if (value && in_range(key, *value, kMaxTemperature)) defaults.temperature = *value;
  });
  attempt([&] {
    constexpr std::string_view key = "general.sampling.top_p";
    const auto value = metadata.find_float(key);
    if (value && in_range(key, *value, 1.0)) defaults.top_p = *value;
  });
  attempt([&] {
    constexpr std::string_view key = "general.sampling.min_p";
    const auto value = metadata.find_float(key);
    if (value && in_range(key, *value, 1.0)) defaults.min_p = *value;
  });
  attempt([&] {
    constexpr std::string_view key = "general.sampling.penalty_repeat";
    const auto value = metadata.find_float(key);
    if (value && in_range(key, *value, kMaxPenalty)) defaults.repeat_penalty = *value;
  });
  attempt([&] {
    constexpr std::string_view key = "general.sampling.top_k";
    const auto value = metadata.find_integer(key);
    if (value && in_range(key, *value, kMaxTopK)) defaults.top_k = static_cast<int>(*value);
  });
  for (const std::string_view key : {"tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id",
                                     "tokenizer.ggml.eom_token_id"}) {
    attempt([&] {
      const auto token = metadata.find_integer(key);
      if (token && in_range(key, *token, kMaxToken)) add_token(*token, defaults.stop_tokens);
    });
  }
  attempt([&] {
    constexpr std::string_view key = "tokenizer.ggml.suppress_tokens";
    const auto tokens = metadata.find_integers(key);
    if (!tokens) return;
    if (tokens->size() > kMaxListedTokens) {
      problems.add("metadata key '{}': expected at most {} tokens, found {}", key, kMaxListedTokens,
                   tokens->size());
      return;
    }
    for (const std::int64_t token : *tokens) {
      if (!in_range(key, token, kMaxToken)) return;
      add_token(token, defaults.suppressed_tokens);
    }
  });
  problems.throw_if_any();
  return defaults;
}

}  // namespace pleiad
