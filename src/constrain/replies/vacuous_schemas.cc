#include "constrain/replies/vacuous_schemas.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/text_format.h"
#include "constrain/schema/document.h"
#include "constrain/schema/one_of.h"
#include "constrain/schema/parameter_path.h"
#include "constrain/schema/shape.h"

namespace pleiad::constrain {
namespace {

/// What a schema without any rule may have all the same: words about the value.
bool is_annotation(std::string_view key) {
  constexpr std::array<std::string_view, 14> kAnnotations = {
      "title",         "description", "default",          "examples",        "example",
      "deprecated",    "readOnly",    "writeOnly",        "nullable",        "id",
      "contentSchema", "xml",         "contentMediaType", "contentEncoding",
  };
  return (key.starts_with("$") && key != "$defs") || key.starts_with("x-") ||
         is_one_of(kAnnotations, key);
}

/// What applies the schemas below it to the value, or to a part of it.
bool applies_schemas(std::string_view key) {
  constexpr std::array<std::string_view, 17> kAppliers = {"properties",
                                                          "patternProperties",
                                                          "dependentSchemas",
                                                          "dependencies",
                                                          "additionalProperties",
                                                          "unevaluatedProperties",
                                                          "propertyNames",
                                                          "items",
                                                          "prefixItems",
                                                          "additionalItems",
                                                          "unevaluatedItems",
                                                          "contains",
                                                          "allOf",
                                                          "anyOf",
                                                          "oneOf",
                                                          "then",
                                                          "else"};
  return is_one_of(kAppliers, key);
}

/// Whether an object has a key of a kind.
template <typename Kind>
bool has_key(const Json& part, Kind is_of_kind) {
  if (!part.is_object()) return false;
  for (const auto& item : part.items()) {
    if (is_of_kind(item.key())) return true;
  }
  return false;
}

bool has_rules(const Json& part) {
  return has_key(
      part, [](std::string_view key) { return decides(key) || key == "then" || key == "else"; });
}

bool is_vacuous(const Json& part) {
  return !has_rules(part) &&
         has_key(part, [](std::string_view key) { return !is_annotation(key); });
}

bool has_text(const Json& part, const char* key) {
  const Json* value = find_member(part, key);
  return value && value->is_string();
}

/// What was meant, as far as that can be seen; begins with "; ".
std::string guess(const Json& part) {
  if (has_text(part, "syntax") && has_text(part, "definition")) {
    return R"(; a grammar's "type" is "grammar")";
  }
  std::vector<std::string_view> schemas;
  for (const auto& item : part.items()) {
    const std::string_view key = item.key();
    if (has_rules(item.value()) && !is_annotation(key) && !holds_named_schemas(key)) {
      schemas.push_back(key);
    }
  }
  if (schemas.size() == 1) {
    return fmt::format("; \"{}\" in it looks like the schema", printable(schemas.front()));
  }
  return schemas.empty() ? "" : R"(; is "properties" missing around what it has?)";
}

class Search {
 public:
  Search(const Json& root, const std::string& where, std::size_t most, std::string_view allowed)
      : document_(root), where_(where), most_(most), allowed_(allowed) {
    add(root);
  }

  std::vector<std::string> notes() {
    while (!unseen_.empty() && notes_.size() < most_) {
      const Json& part = *unseen_.back();
      unseen_.pop_back();
      if (is_vacuous(part)) {
        notes_.push_back(
            fmt::format("{}: no keyword in it says what a value must be, so {} allowed{}",
                        parameter_path(where_, document_.place(&part)),
                        &part == &document_.root() ? allowed_ : "any value is", guess(part)));
      } else {
        look_into(part);
        if (const Json* required = find_member(part, "required"); required && *required == true) {
          notes_.push_back(fmt::format(
              "{}: true asks for nothing since draft 4; the names that an object must have are "
              "listed in its own \"required\"",
              parameter_path(where_, document_.place(&part) + "/required")));
        }
      }
    }
    return std::move(notes_);
  }

 private:
  void add(const Json& part) {
    if (part.is_object() && known_.insert(&part).second) unseen_.push_back(&part);
  }

  void look_into(const Json& part) {
    const std::size_t n_before = unseen_.size();
    for (const auto& item : part.items()) {
      const Json& rule = item.value();
      if (item.key() == "$ref" && rule.is_string()) {
        const auto target = document_.resolve(part, rule.get_ref<const std::string&>());
        if (target) add(*target.value());
      } else if (applies_schemas(item.key())) {
        const bool are_several = rule.is_array() || holds_named_schemas(item.key());
        if (!are_several) add(rule);
        for (std::size_t i = 0; are_several && rule.is_array() && i < rule.size(); ++i) {
          add(rule[i]);
        }
        if (are_several && rule.is_object()) {
          for (const auto& member : rule.items()) add(member.value());
        }
      }
    }
    // What comes first in the schema is told first.
    std::reverse(unseen_.begin() + static_cast<std::ptrdiff_t>(n_before), unseen_.end());
  }

  const SchemaDocument document_;
  const std::string& where_;
  const std::size_t most_;
  const std::string_view allowed_;
  std::unordered_set<const Json*> known_;
  std::vector<const Json*> unseen_;
  std::vector<std::string> notes_;
};

}  // namespace

std::vector<std::string> notes_on_vacuous_schemas(const Json& schema, const std::string& where,
                                                  std::size_t most, std::string_view allowed) {
  return Search(schema, where, most, allowed).notes();
}

}  // namespace pleiad::constrain
