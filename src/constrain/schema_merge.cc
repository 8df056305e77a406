#include "constrain/schema_merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/json.h"

namespace pleiad::constrain {
namespace {

constexpr std::array<std::string_view, 21> kAnnotations = {
    "title",       "description",   "default",          "examples",      "example",
    "$schema",     "$id",           "$comment",         "$defs",         "definitions",
    "id",          "deprecated",    "readOnly",         "writeOnly",     "contentEncoding",
    "$vocabulary", "discriminator", "contentMediaType", "contentSchema", "externalDocs",
    "xml"};

Json both(const Json& left, const Json& right) {
  if (left == right || right == true) return left;
  if (left == true) return right;
  if (left == false || right == false) return false;
  Json out = Json::object();
  out["allOf"] = Json::array({left, right});
  return out;
}

Json as_list(const Json& value) { return value.is_array() ? value : Json::array({value}); }

/// Values of a list that lives longer, found without going over the list.
class ValueSet {
 public:
  ValueSet() = default;
  explicit ValueSet(const Json& list) {
    for (const Json& value : list) add(value);
  }
  /// False where it is there.
  bool add(const Json& value) { return values_.insert(&value).second; }
  bool contains(const Json& value) const { return values_.contains(&value); }

 private:
  struct Less {
    bool operator()(const Json* left, const Json* right) const { return *left < *right; }
  };
  std::set<const Json*, Less> values_;
};

Json common_types(const Json& left, const Json& right) {
  const Json types = as_list(left);
  const Json others = as_list(right);
  const Json number = "number";
  const Json integer = "integer";
  const ValueSet among_others(others);
  ValueSet seen;
  Json out = Json::array();
  const auto add = [&](const Json& type, bool in_both) {
    if (in_both && seen.add(type)) out.push_back(type);
  };
  for (const Json& type : types) {
    add(type, among_others.contains(type) || (type == integer && among_others.contains(number)));
    if (type == number) add(integer, among_others.contains(integer));
  }
  return out;
}

Json common_values(const Json& left, const Json& right) {
  const ValueSet among_right(right);
  Json out = Json::array();
  for (const Json& value : left) {
    if (among_right.contains(value)) out.push_back(value);
  }
  return out;
}

/// The names of both lists, those of the first one first.
Json all_names(const Json& left, const Json& right) {
  Json out = left;
  ValueSet known(left);
  for (const Json& name : right) {
    if (known.add(name)) out.push_back(name);
  }
  return out;
}

/// What one schema asks of a property that it does not name.
Json of_others(const Json& schema) {
  const Json* others = find_member(schema, "additionalProperties");
  return others ? *others : Json(true);
}

Json merged_properties(const Json& left, const Json& right) {
  const Json none = Json::object();
  const Json* in_left = find_member(left, "properties");
  const Json* in_right = find_member(right, "properties");
  if (!in_left) in_left = &none;
  if (!in_right) in_right = &none;
  std::unordered_map<std::string_view, const Json*> of_right;
  for (const auto& item : in_right->items()) of_right.emplace(item.key(), &item.value());
  Json out = Json::object();
  for (const auto& item : in_left->items()) {
    const auto other = of_right.find(item.key());
    const bool only_left = other == of_right.end();
    append_member(out, item.key(),
                  both(item.value(), only_left ? of_others(right) : *other->second));
    if (!only_left) other->second = nullptr;  // done
  }
  for (const auto& item : in_right->items()) {
    if (of_right[item.key()] == nullptr) continue;
    append_member(out, item.key(), both(item.value(), of_others(left)));
  }
  return out;
}

/// The stricter of two bounds; null where the keyword is none.
Json stricter_of_keyword(const std::string& keyword, const Json& left, const Json& right) {
  if (!left.is_number() || !right.is_number()) return nullptr;
  if (keyword.starts_with("min") || keyword == "exclusiveMinimum") return std::max(left, right);
  if (keyword.starts_with("max") || keyword == "exclusiveMaximum") return std::min(left, right);
  return nullptr;
}

/// Adds what cannot be said twice in one schema.
void add_to_all_of(Json& out, const std::string& keyword, const Json& value) {
  Json part = Json::object();
  part[keyword] = value;
  out["allOf"].push_back(std::move(part));
}

}  // namespace

bool is_annotation(std::string_view keyword) {
  return std::ranges::find(kAnnotations, keyword) != kAnnotations.end();
}

Result<Json> merge_schemas(const Json& left, const Json& right) {
  if (!left.is_object() || !right.is_object()) {
    if (left == false || right == false) return Json(false);
    return left.is_object() ? left : right;
  }
  for (const auto& [one, other] : {std::pair{&left, &right}, std::pair{&right, &left}}) {
    // The items of one begin where the prefix of the other ends.
    if (one->contains("prefixItems") && !one->contains("items") && other->contains("items")) {
      return Failure{"\"prefixItems\" cannot be merged with \"items\" of another schema"};
    }
  }
  Json out = left;
  if (left.contains("properties") || right.contains("properties")) {
    out["properties"] = merged_properties(left, right);
  }
  for (const auto& item : right.items()) {
    const std::string& keyword = item.key();
    const Json& theirs = item.value();
    if (keyword == "properties") continue;
    if (keyword == "allOf" && theirs.is_array()) {
      for (const Json& part : theirs) out["allOf"].push_back(part);
      continue;
    }
    const Json* ours = find_member(left, keyword);
    if (!ours) {
      out[keyword] = theirs;
    } else if (*ours == theirs || is_annotation(keyword)) {
      continue;
    } else if (keyword == "type") {
      out[keyword] = common_types(*ours, theirs);
    } else if (keyword == "required" && ours->is_array() && theirs.is_array()) {
      out[keyword] = all_names(*ours, theirs);
    } else if (keyword == "enum" && ours->is_array() && theirs.is_array()) {
      out[keyword] = common_values(*ours, theirs);
    } else if (keyword == "const") {
      return Json(false);
    } else if (keyword == "items" || keyword == "additionalProperties") {
      out[keyword] = both(*ours, theirs);
    } else if (keyword == "nullable") {
      out[keyword] = false;
    } else if (keyword == "anyOf" || keyword == "oneOf" || keyword == "$ref") {
      add_to_all_of(out, keyword, theirs);
    } else if (Json bound = stricter_of_keyword(keyword, *ours, theirs); !bound.is_null()) {
      out[keyword] = std::move(bound);
    } else {
      return Failure{fmt::format("two different values of \"{}\" cannot be merged", keyword)};
    }
  }
  return out;
}

}  // namespace pleiad::constrain
