#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace pleiad::store {

/// A PARAMETER that a model can bring.
struct ParameterRule {
  enum class Kind : std::uint8_t { whole, real, text };
  std::string_view name;  // as Ollama names it
  Kind kind;
  double lowest;
  double highest;
  bool above_lowest = false;  // the lowest itself is not allowed
};

/// All of them.
std::span<const ParameterRule> parameter_rules();

/// The value as it is kept (whole numbers as integers), or what was expected and found.
/// `stop` takes one text.
Result<Json> check_parameter(std::string_view name, const Json& value);

/// The same of what a Modelfile says.
Result<Json> parse_parameter(std::string_view name, std::string_view text);

/// All of an object, as a params layer or a request has them, or of pairs: a list of
/// texts for `stop` becomes several. What is wrong is told in `problems` and left out.
using Parameters = std::vector<std::pair<std::string, Json>>;
Parameters check_parameters(const Json& object, std::vector<std::string>& problems);
Parameters check_parameters(const Parameters& given, std::vector<std::string>& problems);

/// {"temperature": 0.5, "stop": ["a", "b"]}
Json parameters_to_json(const Parameters& parameters);

}  // namespace pleiad::store
