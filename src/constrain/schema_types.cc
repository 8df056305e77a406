// The rules of objects, arrays, strings and numbers.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "base/json.h"
#include "constrain/characters.h"
#include "constrain/number.h"
#include "constrain/pattern.h"
#include "constrain/schema_compiler.h"
#include "constrain/string_formats.h"
#include "text/unicode.h"

namespace pleiad::constrain {
namespace {

/// The stricter of an inclusive and an exclusive bound.
std::optional<Bound> stricter(const Json* inclusive, const Json* exclusive, bool is_minimum) {
  const Json* chosen = inclusive ? inclusive : exclusive;
  if (!chosen) return std::nullopt;
  if (inclusive && exclusive) {
    const bool exclusive_is = is_minimum ? *exclusive >= *inclusive : *exclusive <= *inclusive;
    chosen = exclusive_is ? exclusive : inclusive;
  }
  return Bound::from(*chosen, chosen == exclusive);
}

}  // namespace

Rule SchemaCompiler::object(const Json& schema, const Place& place) {
  ObjectForm form;
  const Json* properties = find_member(schema, "properties");
  const Json* required = find_member(schema, "required");
  const Json* others = find_member(schema, "additionalProperties");
  if (properties && !properties->is_object()) {
    return failed(place.at("properties"), "expected an object of schemas");
  }
  if (required && !required->is_array()) {
    return failed(place.at("required"), "expected a list of names");
  }
  if (others && *others != false) form.others = value(*others, place.at("additionalProperties"));
  if (!others && !properties) form.others = writer_.any();
  if (properties) {
    const Place inside = place.at("properties");
    for (const auto& item : properties->items()) {
      form.properties.push_back({item.key(), value(item.value(), inside.at(item.key()))});
      if (!failure_.empty()) return {};
    }
  }
  std::unordered_map<std::string, std::size_t> places;
  for (const PropertyForm& property : form.properties) places.emplace(property.name, places.size());
  for (const Json& name : required ? *required : Json::array()) {
    if (!name.is_string()) return failed(place.at("required"), "expected a list of names");
    const auto [found, is_new] = places.emplace(name.get<std::string>(), form.properties.size());
    if (!is_new) {
      form.properties[found->second].required = true;
    } else if (form.others) {
      form.properties.push_back({name.get<std::string>(), *form.others, true});
    } else {
      return failed(place.at("required"),
                    fmt::format("\"{}\" is not among the properties", name.get<std::string>()));
    }
  }
  if (order_ == PropertyOrder::sorted) {
    std::ranges::stable_sort(form.properties, {}, [](const PropertyForm& property) {
      return text::lower(property.name);
    });
  }
  return writer_.object(form);
}

Rule SchemaCompiler::array(const Json& schema, const Place& place) {
  ArrayForm form;
  const Json* first = find_member(schema, "prefixItems");
  const Json* rest = find_member(schema, "items");
  if (first && !first->is_array()) {
    return failed(place.at("prefixItems"), "expected a list of schemas");
  }
  if (rest && rest->is_array()) {
    return failed(place.at("items"), "expected a schema; a list belongs in \"prefixItems\"");
  }
  for (std::size_t i = 0; first && i < first->size(); ++i) {
    form.first.push_back(value((*first)[i], place.at("prefixItems", i)));
    if (!failure_.empty()) return {};
  }
  if (!rest) {
    form.rest = writer_.any();
  } else if (*rest != false) {
    form.rest = value(*rest, place.at("items"));
  }
  form.least = whole_number(schema, "minItems", 0, place);
  form.most = whole_number(schema, "maxItems", kUnbounded, place);
  if (!form.rest) {
    form.most = std::min(form.most, static_cast<std::uint32_t>(form.first.size()));
  }
  if (form.least > form.most) {
    return failed(place.at("minItems"), "it is more than there may be");
  }
  return writer_.array(form);
}

Rule SchemaCompiler::string(const Json& schema, const Place& place) {
  const Counter length{whole_number(schema, "minLength", 0, place),
                       whole_number(schema, "maxLength", kUnbounded, place)};
  if (length.need > length.room) {
    return failed(place.at("minLength"), "it is greater than \"maxLength\"");
  }
  const Json* pattern = find_member(schema, "pattern");
  const Json* format = find_member(schema, "format");
  for (const char* keyword : {"pattern", "format"}) {
    const Json* text = find_member(schema, keyword);
    if (text && !text->is_string()) return failed(place.at(keyword), "expected a string");
  }
  std::string_view format_pattern;
  if (format) {
    const std::optional<std::string_view> known =
        pattern_of_format(format->get_ref<const std::string&>());
    if (!known) {
      return failed(place.at("format"),
                    "this format is not supported; known are " + known_formats());
    }
    format_pattern = *known;
  }
  if (pattern && !format_pattern.empty()) {
    return failed(place.at("format"), "it is not supported beside \"pattern\"");
  }
  if (!pattern && format_pattern.empty()) return writer_.string(length);
  const std::string_view text =
      pattern ? std::string_view(pattern->get_ref<const std::string&>()) : format_pattern;
  const Result<Dfa> dfa = pattern_dfa(writer_.syntax(), text, length, pattern_work_);
  if (!dfa) return failed(place.at(pattern ? "pattern" : "format"), dfa.message());
  return writer_.string(dfa.value());
}

Rule SchemaCompiler::number(const Json& schema, bool is_integer, const Place& place) {
  NumberForm form;
  form.is_integer = is_integer;
  // In early drafts the exclusive ones were flags.
  const auto bound = [&](const char* inclusive, const char* exclusive) -> std::optional<Bound> {
    const Json* plain = find_member(schema, inclusive);
    const Json* other = find_member(schema, exclusive);
    for (const Json* value : {plain, other}) {
      if (value && !value->is_number() && !(value == other && value->is_boolean())) {
        fail(place.at(value == plain ? inclusive : exclusive), "expected a number");
        return std::nullopt;
      }
    }
    if (other && other->is_boolean()) {
      return plain ? Bound::from(*plain, *other == true) : std::nullopt;
    }
    return stricter(plain, other, inclusive == std::string_view("minimum"));
  };
  form.minimum = bound("minimum", "exclusiveMinimum");
  form.maximum = bound("maximum", "exclusiveMaximum");
  if (!failure_.empty()) return {};
  if (const Json* step = find_member(schema, "multipleOf")) {
    const double value = step->is_number() ? step->get<double>() : 0;
    const double digits = value > 0 ? -std::log10(value) : 0;
    if (value >= 1 && value <= 10'000 && value == std::floor(value)) {
      form.multiple_of = static_cast<std::uint32_t>(value);
    } else if (const double n = std::round(digits);
               n >= 1 && n <= 12 && std::abs(digits - n) < 1e-12 && value < 1) {
      form.fraction_digits = static_cast<int>(n);
    } else {
      return failed(place.at("multipleOf"),
                    "supported are whole numbers up to 10000, and 0.1, 0.01 and so on");
    }
  }
  if (!form.minimum && !form.maximum && !find_member(schema, "multipleOf")) {
    return writer_.any_number(is_integer);
  }
  const Result<Dfa> dfa = number_dfa(form);
  if (!dfa) return failed(place, dfa.message());
  return writer_.plain(dfa.value());
}

}  // namespace pleiad::constrain
