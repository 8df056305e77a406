#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <regex>
#include <string>

#include "base/json.h"

// Says whether a value is valid under a schema of this project's own, not of a request: for the
// tests here, written from the standard and sharing nothing with what they test, and for what
// evaluations ask of replies.
namespace pleiad::constrain {

class SchemaCheck {
 public:
  explicit SchemaCheck(const Json& root) : root_(root) {}
  bool valid(const Json& value) const { return check(root_, value); }

 private:
  bool check(const Json& schema, const Json& value) const {
    if (schema.is_boolean()) return schema.get<bool>();
    if (schema.value("nullable", false) && value.is_null()) return true;
    for (const auto& item : schema.items()) {
      if (!keyword(schema, item.key(), item.value(), value)) return false;
    }
    return true;
  }

  bool keyword(const Json& schema, const std::string& key, const Json& rule,
               const Json& value) const {
    const auto matches = [&](const Json& part) { return check(part, value); };
    if (key == "$ref")
      return check(root_.at(Json::json_pointer(rule.get<std::string>().substr(1))), value);
    if (key == "allOf") return std::all_of(rule.begin(), rule.end(), matches);
    if (key == "anyOf") return std::any_of(rule.begin(), rule.end(), matches);
    if (key == "oneOf") return std::count_if(rule.begin(), rule.end(), matches) == 1;
    if (key == "not") return !matches(rule);
    if (key == "if") {
      const char* way = matches(rule) ? "then" : "else";
      return !schema.contains(way) || matches(schema[way]);
    }
    if (key == "const") return value == rule;
    if (key == "enum") return std::find(rule.begin(), rule.end(), value) != rule.end();
    if (key == "type") return rule.is_array() ? any_type(rule, value) : is_type(rule, value);
    if (value.is_object()) return object_keyword(schema, key, rule, value);
    if (value.is_array()) return array_keyword(schema, key, rule, value);
    if (value.is_string()) return string_keyword(key, rule, value.get<std::string>());
    if (value.is_number()) return number_keyword(key, rule, value.get<double>());
    return true;
  }

  static bool any_type(const Json& types, const Json& value) {
    return std::any_of(types.begin(), types.end(),
                       [&](const Json& type) { return is_type(type, value); });
  }
  static bool is_type(const std::string& type, const Json& value) {
    if (type == "integer") {
      return value.is_number() && value.get<double>() == std::floor(value.get<double>());
    }
    if (type == "number") return value.is_number();
    return type == value.type_name();
  }

  bool object_keyword(const Json& schema, const std::string& key, const Json& rule,
                      const Json& value) const {
    if (key == "required") {
      return std::all_of(rule.begin(), rule.end(),
                         [&](const Json& name) { return value.contains(name.get<std::string>()); });
    }
    if (key == "minProperties") return value.size() >= rule.get<std::size_t>();
    if (key == "maxProperties") return value.size() <= rule.get<std::size_t>();
    if (key == "dependentRequired" || key == "dependentSchemas") {
      for (const auto& item : rule.items()) {
        if (!value.contains(item.key())) continue;
        const Json required = {{"required", item.value()}};
        if (!check(item.value().is_array() ? required : item.value(), value)) return false;
      }
      return true;
    }
    const Json patterns = schema.value("patternProperties", Json::object());
    for (const auto& item : value.items()) {
      const bool named = schema.contains("properties") && schema["properties"].contains(item.key());
      if (key == "propertyNames" && !check(rule, Json(item.key()))) return false;
      if (key == "properties" && named && !check(rule[item.key()], item.value())) return false;
      bool matched = false;
      for (const auto& pattern : patterns.items()) {
        if (!finds(pattern.key(), item.key())) continue;
        matched = true;
        if (key == "patternProperties" && !check(pattern.value(), item.value())) return false;
      }
      if (key == "additionalProperties" && !named && !matched && !check(rule, item.value())) {
        return false;
      }
    }
    return true;
  }

  bool array_keyword(const Json& schema, const std::string& key, const Json& rule,
                     const Json& value) const {
    if (key == "minItems") return value.size() >= rule.get<std::size_t>();
    if (key == "maxItems") return value.size() <= rule.get<std::size_t>();
    if (key == "contains") {
      const auto n = static_cast<std::size_t>(std::count_if(
          value.begin(), value.end(), [&](const Json& item) { return check(rule, item); }));
      return n >= schema.value("minContains", std::size_t{1}) &&
             n <= schema.value("maxContains", value.size());
    }
    if (key == "items" && rule.is_array()) {
      for (std::size_t i = 0; i < std::min(rule.size(), value.size()); ++i) {
        if (!check(rule[i], value[i])) return false;
      }
      return true;
    }
    if (key == "additionalItems") {
      const bool is_tuple = schema.contains("items") && schema["items"].is_array();
      for (std::size_t i = is_tuple ? schema["items"].size() : value.size(); i < value.size();
           ++i) {
        if (!check(rule, value[i])) return false;
      }
      return true;
    }
    const std::size_t n_first = schema.contains("prefixItems") ? schema["prefixItems"].size() : 0;
    for (std::size_t i = 0; i < value.size(); ++i) {
      if (key == "prefixItems" && i < n_first && !check(rule[i], value[i])) return false;
      if (key == "items" && i >= n_first && !check(rule, value[i])) return false;
    }
    return true;
  }

  bool string_keyword(const std::string& key, const Json& rule, const std::string& text) const {
    const auto length =
        static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
          return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
        }));
    if (key == "minLength") return length >= rule.get<std::size_t>();
    if (key == "maxLength") return length <= rule.get<std::size_t>();
    if (key == "pattern") return finds(rule.get<std::string>(), text);
    return true;
  }

  static bool number_keyword(const std::string& key, const Json& rule, double value) {
    const double bound = rule.is_number() ? rule.get<double>() : 0;
    if (key == "minimum") return value >= bound;
    if (key == "maximum") return value <= bound;
    if (key == "exclusiveMinimum") return value > bound;
    if (key == "exclusiveMaximum") return value < bound;
    if (key == "multipleOf" && bound != std::floor(bound)) {
      return std::abs(value / bound - std::round(value / bound)) <
             1e-6 * std::max(1.0, std::abs(value / bound));
    }
    if (key == "multipleOf") return std::fmod(value, bound) == 0;
    return true;
  }

  /// Whether the pattern matches anywhere in the text. Each pattern is read once.
  bool finds(const std::string& pattern, const std::string& text) const {
    const auto [at, is_new] = patterns_.try_emplace(pattern);
    if (is_new) at->second.assign(pattern);
    return std::regex_search(text, at->second);
  }

  const Json& root_;
  mutable std::map<std::string, std::regex> patterns_;
};

}  // namespace pleiad::constrain
