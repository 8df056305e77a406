#include "store/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/text_format.h"

namespace pleiad::store {
namespace {

using Kind = ParameterRule::Kind;
constexpr double kMost = 2147483647;            // of what is counted
constexpr double kMostSeed = 9007199254740992;  // 2^53: exact in any reader of JSON

constexpr std::array kRules = {
    ParameterRule{"temperature", Kind::real, 0, kMost},
    ParameterRule{"top_k", Kind::whole, 0, kMost},
    ParameterRule{"typical_p", Kind::real, 0, 1},
    ParameterRule{"top_p", Kind::real, 0, 1, true},
    ParameterRule{"min_p", Kind::real, 0, 1},
    ParameterRule{"repeat_penalty", Kind::real, 0, kMost, true},
    ParameterRule{"repeat_last_n", Kind::whole, -1, kMost},
    ParameterRule{"presence_penalty", Kind::real, -2, 2},
    ParameterRule{"frequency_penalty", Kind::real, -2, 2},
    ParameterRule{"seed", Kind::whole, -1, kMostSeed},
    ParameterRule{"num_predict", Kind::whole, -2, kMost},
    ParameterRule{"num_ctx", Kind::whole, 1, kMost},
    ParameterRule{"stop", Kind::text, 0, 0},
};

const ParameterRule* find_rule(std::string_view name) {
  const auto found = std::ranges::find(kRules, name, &ParameterRule::name);
  return found == kRules.end() ? nullptr : &*found;
}

Failure unknown(std::string_view name) {
  std::string known;
  for (const ParameterRule& rule : kRules) known += fmt::format(" {}", rule.name);
  return {fmt::format("parameter '{}' is not known; there are:{}", printable(name), known)};
}

Failure expected(const ParameterRule& rule, const std::string& found) {
  if (rule.kind == Kind::text)
    return {fmt::format("{}: expected a text, found {}", rule.name, found)};
  return {fmt::format("{}: expected a {}number {} {} and at most {:.0f}, found {}", rule.name,
                      rule.kind == Kind::whole ? "whole " : "",
                      rule.above_lowest ? "above" : "of at least", rule.lowest, rule.highest,
                      found)};
}

std::string show(const Json& value) { return printable(to_text(value)); }

template <typename Problems, typename Add>
void check_one(const std::string& name, const Json& value, Problems& problems, Add add) {
  const auto take = [&](const Json& one) {
    auto checked = check_parameter(name, one);
    if (checked) {
      add(name, std::move(checked).value());
    } else {
      problems.push_back(checked.message());
    }
  };
  if (name == "stop" && value.is_array()) {
    for (const Json& one : value) take(one);
  } else {
    take(value);
  }
}

}  // namespace

std::span<const ParameterRule> parameter_rules() { return kRules; }

Result<Json> check_parameter(std::string_view name, const Json& value) {
  const ParameterRule* rule = find_rule(name);
  if (rule == nullptr) return unknown(name);
  if (rule->kind == Kind::text) {
    if (!value.is_string() || value.get_ref<const std::string&>().empty()) {
      return expected(*rule, show(value));
    }
    return value;
  }
  if (!value.is_number()) return expected(*rule, show(value));
  const auto number = value.get<double>();
  // NaN fails every comparison.
  const bool inside = number <= rule->highest &&
                      (rule->above_lowest ? number > rule->lowest : number >= rule->lowest);
  if (!inside) return expected(*rule, show(value));
  if (rule->kind == Kind::real) return value;
  if (number != std::floor(number)) return expected(*rule, show(value));
  return Json(static_cast<std::int64_t>(number));
}

Result<Json> parse_parameter(std::string_view name, std::string_view text) {
  const ParameterRule* rule = find_rule(name);
  if (rule == nullptr) return unknown(name);
  if (rule->kind == Kind::text) return check_parameter(name, Json(std::string(text)));
  const char* end = text.data() + text.size();
  std::int64_t whole = 0;
  if (const auto read = std::from_chars(text.data(), end, whole);
      read.ec == std::errc() && read.ptr == end) {
    return check_parameter(name, Json(whole));
  }
  double real = 0;
  const auto read = std::from_chars(text.data(), end, real);
  if (read.ec != std::errc() || read.ptr != end) {
    return expected(*rule, fmt::format("'{}'", printable(text)));
  }
  return check_parameter(name, Json(real));
}

Parameters check_parameters(const Json& object, std::vector<std::string>& problems) {
  Parameters result;
  if (!object.is_object()) {
    problems.push_back(fmt::format("parameters: expected an object, found {}", show(object)));
    return result;
  }
  for (const auto& [name, value] : object.items()) {
    check_one(name, value, problems, [&](const std::string& key, Json checked) {
      result.emplace_back(key, std::move(checked));
    });
  }
  return result;
}

Parameters check_parameters(const Parameters& given, std::vector<std::string>& problems) {
  Parameters result;
  for (const auto& [name, value] : given) {
    check_one(name, value, problems, [&](const std::string& key, Json checked) {
      // Of one that is given twice the last counts, but every stop does.
      if (key != "stop") std::erase_if(result, [&](const auto& old) { return old.first == key; });
      result.emplace_back(key, std::move(checked));
    });
  }
  return result;
}

Json parameters_to_json(const Parameters& parameters) {
  Json object = Json::object();
  for (const auto& [name, value] : parameters) {
    if (name == "stop") {
      object[name].push_back(value);
    } else {
      object[name] = value;
    }
  }
  return object;
}

}  // namespace pleiad::store
