#include "server_bench/json_fields.h"

#include <cmath>
#include <string_view>

#include "base/error.h"
#include "base/text_format.h"

namespace pleiad::server_bench {
namespace {

const Json* find(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

[[noreturn]] void refuse(const char* key, std::string_view expected, const Json& found) {
  throw Error("{}: expected {}, found {}", key, expected, printable(to_text(found)));
}

}  // namespace

const Json* find_object(const Json& object, const char* key) {
  const Json* value = find(object, key);
  if (value && !value->is_object()) refuse(key, "an object", *value);
  return value;
}

std::string find_text(const Json& object, const char* key) {
  const Json* value = find(object, key);
  if (!value) return "";
  if (!value->is_string()) refuse(key, "a string", *value);
  return value->get<std::string>();
}

std::optional<std::int64_t> find_count(const Json& object, const char* key) {
  constexpr double kMost = 1e12;
  const Json* value = find(object, key);
  if (!value) return std::nullopt;
  const double number = value->is_number() ? value->get<double>() : -1;
  if (!(number >= 0 && number <= kMost) || number != std::floor(number)) {
    refuse(key, "a count", *value);
  }
  return static_cast<std::int64_t>(number);
}

std::optional<double> find_seconds(const Json& object, const char* key, double per_second) {
  constexpr double kMost = 1e9;
  const Json* value = find(object, key);
  if (!value) return std::nullopt;
  const double seconds = value->is_number() ? value->get<double>() / per_second : -1;
  if (!(seconds >= 0 && seconds <= kMost)) refuse(key, "a duration", *value);
  return seconds;
}

}  // namespace pleiad::server_bench
