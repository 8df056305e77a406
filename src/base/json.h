#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "base/json_limits.h"
#include "base/result.h"

namespace pleiad {

/// JSON values keep the order of their keys, because users see them again. To
/// look a key up, and to add one, takes time in proportion to the keys of the
/// object: for objects that people write, not for tables.
using Json = nlohmann::ordered_json;

/// Parses text from outside; `source` names it in messages. Throws Error where it is not valid JSON
/// or beyond the limits.
Json parse_json(std::string_view text, const std::string& source, const JsonLimits& limits = {});

/// The same for who words it otherwise. The message says what the text is instead: "not JSON: parse
/// error at line 1, column 2: ...", "JSON nested more than 64 levels deep, at a[0].b".
Result<Json> read_json(std::string_view text, const JsonLimits& limits);

/// The value of a text that need not be JSON: where it is not, or nests deeper than 512 levels,
/// discarded (is_discarded()).
Json json_or_discarded(std::string_view text);

/// JSON as text for people and clients, on one line or with `indent` spaces for each level. Bytes
/// that are not UTF-8 become U+FFFD.
///
/// These and the three above are the only places that instantiate the library's parser and
/// printer, which costs every other source a second of the compiler's time.
std::string to_text(const Json& value, int indent = -1);

/// The same for what is read again. Throws Error that `what` cannot be written where a string is
/// not UTF-8.
std::string exact_text(const Json& value, const std::string& what, int indent = -1);

/// The value of an object's key; null where there is none, or no object.
inline const Json* find_member(const Json& object, std::string_view key) {
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

/// The text of an object's key; null where there is none, no object, or no text.
inline const std::string* find_text_member(const Json& object, std::string_view key) {
  const Json* member = find_member(object, key);
  return member == nullptr ? nullptr : member->get_ptr<const std::string*>();
}

/// The same; empty where there is none.
inline std::string text_member(const Json& object, std::string_view key) {
  const std::string* text = find_text_member(object, key);
  return text == nullptr ? std::string() : *text;
}

/// Adds a key that the object has not, without looking for it.
inline void append_member(Json& object, std::string key, Json value) {
  using Members = Json::object_t::Container;
  static_cast<Members&>(object.get_ref<Json::object_t&>())
      .emplace_back(std::move(key), std::move(value));
}

}  // namespace pleiad
