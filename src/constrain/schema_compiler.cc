#include "constrain/schema_compiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/json.h"
#include "constrain/schema_merge.h"

namespace pleiad::constrain {
namespace {

constexpr int kMaxDepth = 100;
constexpr int kMaxSchemas = 10'000;
constexpr std::size_t kMaxMergedBytes = std::size_t{4} << 20U;

constexpr std::array<std::string_view, 25> kSupported = {"type",
                                                         "properties",
                                                         "required",
                                                         "additionalProperties",
                                                         "items",
                                                         "prefixItems",
                                                         "minItems",
                                                         "maxItems",
                                                         "enum",
                                                         "const",
                                                         "anyOf",
                                                         "oneOf",
                                                         "allOf",
                                                         "$ref",
                                                         "minLength",
                                                         "maxLength",
                                                         "pattern",
                                                         "format",
                                                         "minimum",
                                                         "maximum",
                                                         "exclusiveMinimum",
                                                         "exclusiveMaximum",
                                                         "multipleOf",
                                                         "nullable",
                                                         "uniqueItems"};

/// Keywords of the standard's versions that would have to be obeyed.
constexpr std::array<std::string_view, 26> kUnsupported = {"not",
                                                           "if",
                                                           "then",
                                                           "else",
                                                           "dependentSchemas",
                                                           "dependentRequired",
                                                           "dependencies",
                                                           "patternProperties",
                                                           "propertyNames",
                                                           "minProperties",
                                                           "maxProperties",
                                                           "contains",
                                                           "minContains",
                                                           "maxContains",
                                                           "additionalItems",
                                                           "unevaluatedItems",
                                                           "unevaluatedProperties",
                                                           "$dynamicRef",
                                                           "$recursiveRef",
                                                           "$anchor",
                                                           "$dynamicAnchor",
                                                           "$recursiveAnchor",
                                                           "extends",
                                                           "disallow",
                                                           "divisibleBy",
                                                           "$data"};

/// True of keywords that would do nothing as they are here.
bool says_nothing(const std::string& keyword, const Json& value) {
  if (keyword == "uniqueItems") return value == false;
  if (keyword == "minProperties" || keyword == "minContains") return value == 0;
  return (keyword == "unevaluatedProperties" || keyword == "unevaluatedItems" ||
          keyword == "additionalItems") &&
         value == true;
}

bool has_type(const Json& value, std::string_view type) {
  if (type == "integer") {
    return value.is_number_integer() ||
           (value.is_number() &&
            value.get<double>() == static_cast<double>(static_cast<std::int64_t>(
                                       std::clamp(value.get<double>(), -9e18, 9e18))));
  }
  if (type == "number") return value.is_number();
  return type == value.type_name();
}

/// What else constrains values; annotations would only be copied around.
Json without_keyword(const Json& schema, const char* keyword) {
  Json out = Json::object();
  for (const auto& item : schema.items()) {
    if (item.key() == keyword || is_annotation(item.key())) continue;
    append_member(out, item.key(), item.value());
  }
  return out;
}

/// About the bytes of its text.
std::size_t size_of(const Json& value) {
  std::size_t size = 8;
  if (value.is_string()) size += value.get_ref<const std::string&>().size();
  if (value.is_object()) {
    for (const auto& item : value.items()) size += item.key().size() + size_of(item.value());
  } else if (value.is_array()) {
    for (const Json& item : value) size += size_of(item);
  }
  return size;
}

bool constrains(const Json& schema) {
  return std::ranges::any_of(schema.items(),
                             [](const auto& item) { return !is_annotation(item.key()); });
}

}  // namespace

SchemaCompiler::Place SchemaCompiler::Place::at(std::string_view key) const {
  std::string escaped;
  for (const char c : key.substr(0, 80)) {
    if (c == '~') {
      escaped += "~0";
    } else if (c == '/') {
      escaped += "~1";
    } else {
      escaped += c;
    }
  }
  return {pointer + "/" + escaped, depth + 1};
}

SchemaCompiler::Place SchemaCompiler::Place::at(std::string_view key, std::size_t index) const {
  return {fmt::format("{}/{}/{}", pointer, key, index), depth + 1};
}

SchemaCompiler::SchemaCompiler(ValueWriter& writer, const Json& root, std::string where,
                               PropertyOrder order)
    : writer_(writer), root_(root), where_(std::move(where)), order_(order) {}

Result<Rule> SchemaCompiler::compile() {
  const Rule rule = value(root_, {});
  if (!failure_.empty()) return Failure{failure_};
  return rule;
}

void SchemaCompiler::fail(const Place& place, std::string_view why) {
  if (failure_.empty()) failure_ = fmt::format("{}{}: {}", where_, place.pointer, why);
}

Rule SchemaCompiler::failed(const Place& place, std::string_view why) {
  fail(place, why);
  return {};
}

Rule SchemaCompiler::value(const Json& schema, const Place& place) {
  if (!failure_.empty()) return {};
  if (place.depth > kMaxDepth || ++n_schemas_ > kMaxSchemas ||
      writer_.automaton().n_states() >= Automaton::kMaxStates) {
    return failed(place, "the schema is too large, or its parts refer to each other in a circle");
  }
  if (schema == true) return writer_.any();
  if (schema == false) return writer_.choice({});
  if (!schema.is_object()) return failed(place, "expected a schema: an object or a boolean");
  if (!check_keywords(schema, place)) return {};
  if (schema.contains("$ref")) return reference(schema, place);
  if (schema.contains("allOf")) return all_of(schema, place);
  for (const char* keyword : {"anyOf", "oneOf"}) {
    if (schema.contains(keyword)) return any_of(schema, keyword, place);
  }
  if (schema.contains("enum") || schema.contains("const")) return enumerated(schema, place);
  return typed(schema, place);
}

bool SchemaCompiler::check_keywords(const Json& schema, const Place& place) {
  for (const auto& item : schema.items()) {
    const std::string& keyword = item.key();
    const bool unsupported =
        keyword == "uniqueItems" || std::ranges::find(kUnsupported, keyword) != kUnsupported.end();
    if (!unsupported || says_nothing(keyword, item.value())) continue;
    fail(place.at(keyword), "this keyword is not supported");
    return false;
  }
  return true;
}

Rule SchemaCompiler::merged(const Json& left, const Json& right, const Place& place) {
  for (const Json* part : {&left, &right}) {
    if (!part->is_boolean() && !part->is_object()) {
      return failed(place, "expected a schema: an object or a boolean");
    }
    const Json* parts = part->is_object() ? find_member(*part, "allOf") : nullptr;
    if (parts && !parts->is_array()) return failed(place.at("allOf"), "expected a list of schemas");
    const Json* properties = part->is_object() ? find_member(*part, "properties") : nullptr;
    if (properties && !properties->is_object()) {
      return failed(place.at("properties"), "expected an object of schemas");
    }
  }
  // Each merging copies both sides, for each alternative of an "anyOf" again.
  merged_bytes_ += size_of(left) + size_of(right);
  if (merged_bytes_ > kMaxMergedBytes) {
    return failed(place, "merging its parts makes it too large");
  }
  const Result<Json> both = merge_schemas(left, right);
  if (!both) return failed(place, both.message());
  return value(both.value(), place);
}

Rule SchemaCompiler::reference(const Json& schema, const Place& place) {
  const Json& name = schema["$ref"];
  const Place here = place.at("$ref");
  if (!name.is_string()) return failed(here, "expected a string");
  const auto& text = name.get_ref<const std::string&>();
  const Json* target = resolve(text, here);
  if (!target) return {};
  const Json rest = without_keyword(schema, "$ref");
  if (constrains(rest)) return merged(rest, *target, here);
  if (const auto known = references_.find(text); known != references_.end()) return known->second;
  // Known before it is made, so that it may refer to itself.
  const Rule rule = writer_.choice({});
  references_.emplace(text, rule);
  const Place target_place{text == "#" ? "" : text.substr(1), place.depth + 1};
  const Rule made = value(*target, target_place);
  writer_.automaton().add_choice(rule.start, made);
  return rule;
}

const Json* SchemaCompiler::resolve(const std::string& reference, const Place& place) {
  const Json* at = &root_;
  if (!reference.starts_with("#")) {
    fail(place, "only references within the schema (\"#/...\") are supported");
    return nullptr;
  }
  std::string_view rest = std::string_view(reference).substr(1);
  while (at && !rest.empty()) {
    if (rest.front() != '/') {
      fail(place, "expected a JSON pointer behind the \"#\"");
      return nullptr;
    }
    rest.remove_prefix(1);
    const std::size_t length = std::min(rest.find('/'), rest.size());
    std::string key;
    for (std::size_t i = 0; i < length; ++i) {
      const bool escaped =
          rest[i] == '~' && i + 1 < length && (rest[i + 1] == '0' || rest[i + 1] == '1');
      key += escaped ? (rest[++i] == '0' ? '~' : '/') : rest[i];
    }
    rest.remove_prefix(length);
    if (at->is_object()) {
      at = find_member(*at, key);
    } else if (at->is_array() && !key.empty() && key.size() < 6 &&
               key.find_first_not_of("0123456789") == std::string::npos &&
               static_cast<std::size_t>(std::stoi(key)) < at->size()) {
      at = &(*at)[static_cast<std::size_t>(std::stoi(key))];
    } else {
      at = nullptr;
    }
  }
  if (!at) fail(place, fmt::format("there is no \"{}\"", reference.substr(0, 80)));
  return at;
}

Rule SchemaCompiler::all_of(const Json& schema, const Place& place) {
  const Json& parts = schema["allOf"];
  const Place here = place.at("allOf");
  if (!parts.is_array()) return failed(here, "expected a list of schemas");
  Json rest = without_keyword(schema, "allOf");
  if (parts.empty()) return value(rest, here);
  // One at a time: a part may have parts itself.
  if (parts.size() > 1) {
    Json others = Json::array();
    for (std::size_t i = 1; i < parts.size(); ++i) others.push_back(parts[i]);
    if (parts[0].is_object() && parts[0].contains("allOf") && parts[0]["allOf"].is_array()) {
      for (const Json& part : parts[0]["allOf"]) others.push_back(part);
      rest["allOf"] = std::move(others);
      return merged(rest, without_keyword(parts[0], "allOf"), here);
    }
    rest["allOf"] = std::move(others);
  }
  if (!constrains(rest)) return value(parts[0], here);
  return merged(rest, parts[0], here);
}

Rule SchemaCompiler::any_of(const Json& schema, const char* keyword, const Place& place) {
  const Json& parts = schema[keyword];
  if (!parts.is_array() || parts.empty()) {
    return failed(place.at(keyword), "expected a list of at least one schema");
  }
  const Json rest = without_keyword(schema, keyword);
  std::vector<Rule> rules;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Place here = place.at(keyword, i);
    rules.push_back(constrains(rest) ? merged(rest, parts[i], here) : value(parts[i], here));
    if (!failure_.empty()) return {};
  }
  return writer_.choice(rules);
}

Rule SchemaCompiler::enumerated(const Json& schema, const Place& place) {
  Json values = Json::array();
  if (const Json* list = find_member(schema, "enum")) {
    if (!list->is_array()) return failed(place.at("enum"), "expected a list of values");
    values = *list;
  }
  if (const Json* only = find_member(schema, "const")) {
    const bool listed =
        !schema.contains("enum") || std::ranges::find(values, *only) != values.end();
    values = listed ? Json::array({*only}) : Json::array();
  }
  for (const auto& item : schema.items()) {
    const std::string& keyword = item.key();
    const bool known = keyword == "enum" || keyword == "const" || keyword == "type" ||
                       keyword == "nullable" || is_annotation(keyword) ||
                       std::ranges::find(kSupported, keyword) == kSupported.end();
    if (!known)
      return failed(place.at(keyword), "it is not supported beside \"enum\" or \"const\"");
  }
  std::vector<Symbols> texts;
  const std::vector<std::string> types =
      schema.contains("type") ? types_of(schema, place) : std::vector<std::string>();
  for (const Json& value : values) {
    const bool fits =
        !schema.contains("type") ||
        std::ranges::any_of(types, [&](const std::string& type) { return has_type(value, type); });
    if (fits) texts.push_back(spell(writer_.syntax(), value));
  }
  if (schema.value("nullable", Json()) == true) texts.push_back(spell(writer_.syntax(), nullptr));
  return writer_.literal(texts);
}

std::vector<std::string> SchemaCompiler::types_of(const Json& schema, const Place& place) {
  static constexpr std::array<std::string_view, 7> kTypes = {
      "object", "array", "string", "number", "integer", "boolean", "null"};
  std::vector<std::string> out;
  const Json* type = find_member(schema, "type");
  const Json list = !type ? Json::array() : type->is_array() ? *type : Json::array({*type});
  for (const Json& name : list) {
    if (!name.is_string() || std::ranges::find(kTypes, name.get<std::string>()) == kTypes.end()) {
      fail(place.at("type"),
           fmt::format("expected one of {}, or a list of them", fmt::join(kTypes, ", ")));
      return {};
    }
    auto text = name.get<std::string>();
    if (std::ranges::find(out, text) == out.end()) out.push_back(std::move(text));
  }
  if (type) return out;
  // What the keywords are about.
  const auto any = [&](std::initializer_list<const char*> keywords) {
    return std::ranges::any_of(keywords,
                               [&](const char* keyword) { return schema.contains(keyword); });
  };
  if (any({"properties", "required", "additionalProperties"})) out.emplace_back("object");
  if (any({"items", "prefixItems", "minItems", "maxItems"})) out.emplace_back("array");
  if (any({"minLength", "maxLength", "pattern", "format"})) out.emplace_back("string");
  if (any({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"})) {
    out.emplace_back("number");
  }
  return out;
}

Rule SchemaCompiler::typed(const Json& schema, const Place& place) {
  const std::vector<std::string> types = types_of(schema, place);
  if (!failure_.empty()) return {};
  if (types.empty() && !schema.contains("type")) return writer_.any();
  std::vector<Rule> rules;
  for (const std::string& type : types) rules.push_back(of_type(type, schema, place));
  if (schema.value("nullable", Json()) == true) rules.push_back(of_type("null", schema, place));
  if (rules.size() == 1) return rules[0];
  return writer_.choice(rules);
}

Rule SchemaCompiler::of_type(const std::string& type, const Json& schema, const Place& place) {
  const Syntax syntax = writer_.syntax();
  if (type == "object") return object(schema, place);
  if (type == "array") return array(schema, place);
  if (type == "string") return string(schema, place);
  if (type == "number" || type == "integer") return number(schema, type == "integer", place);
  if (type == "null") return writer_.literal({spell(syntax, nullptr)});
  return writer_.literal({spell(syntax, true), spell(syntax, false)});
}

std::uint32_t SchemaCompiler::whole_number(const Json& schema, const char* keyword,
                                           std::uint32_t otherwise, const Place& place) {
  const Json* value = find_member(schema, keyword);
  if (!value) return otherwise;
  if (!has_type(*value, "integer") || value->get<double>() < 0) {
    fail(place.at(keyword), "expected a whole number from 0 on");
    return otherwise;
  }
  return static_cast<std::uint32_t>(std::min(value->get<double>(), 2e9));
}

}  // namespace pleiad::constrain
