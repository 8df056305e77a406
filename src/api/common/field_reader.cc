#include "api/common/field_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "api/common/request_error.h"
#include "api/common/request_json.h"
#include "base/text_format.h"

namespace pleiad::api {
namespace {

/// The integer that a JSON number is, if it is one and fits.
std::optional<std::int64_t> whole_number(const Json& value) {
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    if (number > std::uint64_t{std::numeric_limits<std::int64_t>::max()}) return std::nullopt;
    return static_cast<std::int64_t>(number);
  }
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (!value.is_number_float()) return std::nullopt;
  const auto number = value.get<double>();
  constexpr double kLimit = 9007199254740992.0;  // beyond, a double cannot tell integers apart
  if (!(std::abs(number) <= kLimit) || number != std::trunc(number)) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

/// An object or a list as its text: told by how it begins and ends.
bool looks_like_json(const Json& value) {
  if (!value.is_string()) return false;
  constexpr std::string_view kSpace = " \t\r\n";
  const std::string_view text = value.get_ref<const std::string&>();
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return false;
  const char end = text[text.find_last_not_of(kSpace)];
  return (text[first] == '{' && end == '}') || (text[first] == '[' && end == ']');
}

}  // namespace

FieldReader::FieldReader(const Json& object, std::string path)
    : object_(&object), path_(std::move(path)) {
  if (!object.is_object()) {
    throw RequestError(path_, fmt::format("expected an object, found {}", describe(object)));
  }
}

const Json* FieldReader::value(std::string_view key) {
  if (std::find(known_.begin(), known_.end(), key) == known_.end()) known_.emplace_back(key);
  const auto found = object_->find(key);
  return found == object_->end() || found->is_null() ? nullptr : &*found;
}

std::optional<std::string> FieldReader::text(std::string_view key) {
  const Json* found = value(key);
  if (!found) return std::nullopt;
  if (!found->is_string()) refuse(key, "a string");
  return found->get<std::string>();
}

std::string FieldReader::required_text(std::string_view key) {
  std::optional<std::string> found = text(key);
  if (!found) throw RequestError(path_of(key), "missing; expected a string");
  return *std::move(found);
}

std::optional<bool> FieldReader::flag(std::string_view key) {
  const Json* found = value(key);
  if (!found) return std::nullopt;
  if (!found->is_boolean()) refuse(key, "true or false");
  return found->get<bool>();
}

std::optional<std::int64_t> FieldReader::integer(std::string_view key, std::int64_t min,
                                                 std::int64_t max) {
  const Json* found = value(key);
  if (!found) return std::nullopt;
  const std::optional<std::int64_t> number = whole_number(*found);
  if (!number || *number < min || *number > max) {
    refuse(key, fmt::format("an integer from {} to {}", min, max));
  }
  return number;
}

std::optional<double> FieldReader::number(std::string_view key, double min, double max) {
  const Json* found = value(key);
  if (!found) return std::nullopt;
  const double number = found->is_number() ? found->get<double>() : std::nan("");
  if (!(number >= min && number <= max))
    refuse(key, fmt::format("a number from {} to {}", min, max));
  return number;
}

std::optional<double> FieldReader::number_above(std::string_view key, double min, double max) {
  const Json* found = value(key);
  if (!found) return std::nullopt;
  const double number = found->is_number() ? found->get<double>() : std::nan("");
  if (!(number > min && number <= max)) {
    refuse(key, fmt::format("a number above {} and at most {}", min, max));
  }
  return number;
}

std::optional<std::vector<std::string>> FieldReader::texts(std::string_view key, std::size_t most) {
  const Json* found = value(key);
  if (!found) return std::nullopt;
  if (found->is_string()) return std::vector<std::string>{found->get<std::string>()};
  if (!found->is_array()) refuse(key, "a string or a list of strings");
  (void)list(key, most);  // its length
  std::vector<std::string> texts;
  texts.reserve(found->size());
  for (std::size_t i = 0; i < found->size(); ++i) {
    const Json& element = (*found)[i];
    if (!element.is_string()) {
      throw RequestError(element_path(path_of(key), i),
                         fmt::format("expected a string, found {}", describe(element)));
    }
    texts.push_back(element.get<std::string>());
  }
  return texts;
}

std::optional<std::string> FieldReader::one_of(std::string_view key,
                                               std::initializer_list<std::string_view> allowed) {
  const Json* found = value(key);
  if (!found) return std::nullopt;
  if (found->is_string()) {
    const auto& text = found->get_ref<const std::string&>();
    if (std::find(allowed.begin(), allowed.end(), text) != allowed.end()) return text;
  }
  refuse(key, fmt::format("one of \"{}\"", fmt::join(allowed, "\", \"")));
}

const Json* FieldReader::list(std::string_view key, std::size_t most) {
  const Json* found = value(key);
  if (!found) return nullptr;
  if (!found->is_array()) refuse_structure(key, "a list");
  if (found->size() > most) refuse(key, fmt::format("at most {} entries", most));
  return found;
}

const Json* FieldReader::object(std::string_view key, std::string_view expected) {
  const Json* found = value(key);
  if (found && !found->is_object()) refuse_structure(key, expected);
  return found;
}

std::optional<FieldReader> FieldReader::child(std::string_view key) {
  const Json* found = object(key);
  if (!found) return std::nullopt;
  return FieldReader(*found, path_of(key));
}

std::string FieldReader::path_of(std::string_view key) const {
  const std::string shown = printable(key);
  return path_.empty() ? shown : fmt::format("{}.{}", path_, shown);
}

void FieldReader::refuse(std::string_view key, std::string_view expected) const {
  const auto found = object_->find(key);
  throw RequestError(path_of(key),
                     found == object_->end()
                         ? fmt::format("missing; expected {}", expected)
                         : fmt::format("expected {}, found {}", expected, describe(*found)));
}

void FieldReader::refuse_structure(std::string_view key, std::string_view expected) const {
  const auto found = object_->find(key);
  if (found == object_->end() || !looks_like_json(*found)) refuse(key, expected);
  throw RequestError(path_of(key), fmt::format("expected {}, found a string that looks like JSON: "
                                               "give the value itself, not its text",
                                               expected));
}

std::vector<std::string> FieldReader::unknown() const {
  std::vector<std::string> paths;
  for (const auto& [key, found] : object_->items()) {
    if (found.is_null()) continue;
    if (std::find(known_.begin(), known_.end(), key) == known_.end()) paths.push_back(path_of(key));
  }
  return paths;
}

std::string element_path(std::string_view list, std::size_t index) {
  return fmt::format("{}[{}]", list, index);
}

}  // namespace pleiad::api
