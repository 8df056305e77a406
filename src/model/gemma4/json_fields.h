#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/text_format.h"
#include "formats/bounded_json.h"
#include "formats/problem_list.h"

namespace pleiad::gemma4 {

/// Short text of a value for a message.
inline std::string shown(const BoundedJson& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "an array";
  return printable(value.dump(-1, ' ', true, BoundedJson::error_handler_t::replace), 40);
}

/// Whether a config.json is of the 12B's class, by either name of it; config_from_json() refuses
/// two that disagree.
inline bool names_unified_class(const BoundedJson& root) {
  const auto type = root.find("model_type");
  if (type != root.end() && *type == "gemma4_unified") return true;
  const auto names = root.find("architectures");
  return names != root.end() && names->is_array() && !names->empty() &&
         (*names)[0] == "Gemma4UnifiedForConditionalGeneration";
}

/// The fields of one object of the file. A field that is absent or null takes its
/// default; without a default that is a problem, and so is a value of a wrong kind
/// or out of range.
class Fields {
 public:
  Fields(const BoundedJson& object, std::string prefix, ProblemList& problems)
      : object_(object), prefix_(std::move(prefix)), problems_(problems) {}

  /// Null where the field is absent or null.
  const BoundedJson* find(std::string_view field) const {
    const auto found = object_.find(field);
    return found == object_.end() || found->is_null() ? nullptr : &*found;
  }

  /// True also for null.
  bool contains(std::string_view field) const { return object_.contains(field); }

  int integer(std::string_view field, std::int64_t min, std::int64_t max,
              std::optional<std::int64_t> absent = std::nullopt) const {
    const BoundedJson* value = find_or_report(field, absent.has_value());
    if (value == nullptr) return static_cast<int>(absent.value_or(min));
    if (value->is_number_integer() && (!value->is_number_unsigned() ||
                                       std::in_range<std::int64_t>(value->get<std::uint64_t>()))) {
      const auto number = value->get<std::int64_t>();
      if (number >= min && number <= max) return static_cast<int>(number);
    }
    report(field, fmt::format("a whole number from {} to {}", min, max), *value);
    return static_cast<int>(min);
  }

  /// A token of a vocabulary. `absent` is the reference's where the file names none, and means
  /// nothing in a smaller vocabulary.
  std::optional<std::int32_t> token(std::string_view field, int absent, int vocab_size) const {
    if (find(field) == nullptr && absent >= vocab_size) return std::nullopt;
    return integer(field, 0, vocab_size - 1, absent);
  }

  double number(std::string_view field, double min, double max,
                std::optional<double> absent = std::nullopt) const {
    const BoundedJson* value = find_or_report(field, absent.has_value());
    if (value == nullptr) return absent.value_or(min);
    if (value->is_number()) {
      const auto number = value->get<double>();
      if (number >= min && number <= max) return number;
    }
    report(field, fmt::format("a number from {} to {}", min, max), *value);
    return min;
  }

  bool boolean(std::string_view field, bool absent) const {
    const BoundedJson* value = find(field);
    if (value == nullptr) return absent;
    if (value->is_boolean()) return value->get<bool>();
    report(field, "true or false", *value);
    return absent;
  }

  std::string text(std::string_view field, std::string_view absent) const {
    const BoundedJson* value = find(field);
    if (value == nullptr) return std::string(absent);
    if (value->is_string()) return value->get<std::string>();
    report(field, "a string", *value);
    return std::string(absent);
  }

  /// Null where the field is absent or no object; the latter is a problem.
  const BoundedJson* object(std::string_view field) const {
    const BoundedJson* value = find(field);
    if (value == nullptr || value->is_object()) return value;
    report(field, "an object", *value);
    return nullptr;
  }

  void report(std::string_view field, std::string_view expected, const BoundedJson& found) const {
    problems_.add("'{}{}': expected {}, found {}", prefix_, printable(field), expected,
                  shown(found));
  }

  std::string path(std::string_view field) const {
    return fmt::format("{}{}.", prefix_, printable(field));
  }

 private:
  const BoundedJson* find_or_report(std::string_view field, bool optional) const {
    const BoundedJson* value = find(field);
    if (value == nullptr && !optional) problems_.add("'{}{}' is missing", prefix_, field);
    return value;
  }

  const BoundedJson& object_;
  std::string prefix_;
  ProblemList& problems_;
};

}  // namespace pleiad::gemma4
