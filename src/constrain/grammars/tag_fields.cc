#include "constrain/grammars/tag_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/text_format.h"
#include "constrain/automaton.h"
#include "constrain/schema/parameter_path.h"
#include "constrain/schema/same_value.h"

namespace pleiad::constrain::grammars {

void TagFields::fail(const std::string& path, std::string_view why) {
  if (failed()) return;
  problem_ = path.empty() ? std::string(why) : fmt::format("{}: {}", path, why);
}

std::string TagFields::below(const std::string& path, std::string_view key) {
  return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
}

const Json* TagFields::given(const Json& object, std::string_view key) {
  const Json* found = find_member(object, key);
  return found && found->is_null() ? nullptr : found;
}

bool TagFields::is_of_type(const Json& object, const std::string& path, std::string_view type) {
  const Json* found = given(object, "type");
  if (!found || *found == type) return true;
  fail(below(path, "type"),
       fmt::format("expected \"{}\", found {}", type, printable(to_text(*found), 40)));
  return false;
}

void TagFields::only(const Json& object, const std::string& path,
                     std::initializer_list<std::string_view> known) {
  for (const auto& [key, value] : object.items()) {
    const bool is_known = key == "type" || std::ranges::find(known, key) != known.end();
    if (is_known || value.is_null()) continue;
    const Json::json_pointer pointer = Json::json_pointer() / printable(key);
    std::string place = parameter_path(path, pointer.to_string());
    if (place.starts_with('.')) place.erase(0, 1);
    fail(place, "not supported");
  }
}

const Json& TagFields::member(const Json& object, const std::string& path, std::string_view key) {
  static const Json kNothing;
  const Json* found = given(object, key);
  if (!found) fail(below(path, key), "missing");
  return found ? *found : kNothing;
}

std::string TagFields::text(const Json& object, const std::string& path, std::string_view key) {
  const Json& value = member(object, path, key);
  if (value.is_string()) return value.get<std::string>();
  fail(below(path, key), "expected a text");
  return {};
}

bool TagFields::flag(const Json& object, const std::string& path, std::string_view key) {
  const Json* value = given(object, key);
  if (value && !value->is_boolean()) fail(below(path, key), "expected true or false");
  return value && *value == true;
}

std::uint32_t TagFields::number(const Json& object, const std::string& path, std::string_view key,
                                bool may_be_open) {
  const Json& value = member(object, path, key);
  if (may_be_open && same_value(value, -1)) return kUnbounded;
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  if (value.is_number_integer() && compare_numbers(value, 0) >= 0 &&
      compare_numbers(value, kMost) <= 0) {
    return value.get<std::uint32_t>();
  }
  fail(below(path, key),
       may_be_open ? "expected a whole number, or -1 for no limit" : "expected a whole number");
  return 0;
}

const Json& TagFields::list(const Json& object, const std::string& path, std::string_view key) {
  static const Json kNone = Json::array();
  const Json& value = member(object, path, key);
  if (value.is_array() && !value.empty()) return value;
  fail(below(path, key), "expected a list that is not empty");
  return kNone;
}

Words TagFields::words(const Json& object, const std::string& path, std::string_view key,
                       bool may_be_empty) {
  Words out;
  const Json* value = given(object, key);
  if (value && !value->is_array()) fail(below(path, key), "expected a list of texts");
  for (std::size_t i = 0; value && value->is_array() && i < value->size(); ++i) {
    const std::string* word = (*value)[i].get_ptr<const std::string*>();
    if (!word || (word->empty() && !may_be_empty)) {
      fail(fmt::format("{}[{}]", below(path, key), i),
           may_be_empty ? "expected a text" : "expected a text that is not empty");
      break;
    }
    out.push_back(*word);
  }
  return out;
}

}  // namespace pleiad::constrain::grammars
