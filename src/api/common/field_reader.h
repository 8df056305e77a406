#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace pleiad::api {

/// Reads the fields of an object from a client. Null is the same as absent. What is
/// of the wrong type or out of range throws RequestError: "options.top_k: expected
/// an integer from 0 to 1000000, found "x"". Remembers what was asked for, so that
/// fields that nobody knows can be named.
class FieldReader {
 public:
  /// `path` names the object in messages ("options"); empty: the request itself.
  /// `object` must outlive the reader. Throws where it is not an object.
  explicit FieldReader(const Json& object, std::string path = {});

  std::optional<std::string> text(std::string_view key);
  std::string required_text(std::string_view key);  // throws where it is missing; may be empty
  std::optional<bool> flag(std::string_view key);
  /// Whole numbers written as 5.0 are fine.
  std::optional<std::int64_t> integer(std::string_view key, std::int64_t min, std::int64_t max);
  std::optional<double> number(std::string_view key, double min, double max);
  /// More than `min`.
  std::optional<double> number_above(std::string_view key, double min, double max);
  /// One string or a list of strings.
  std::optional<std::vector<std::string>> texts(std::string_view key, std::size_t most);
  /// A string that is one of these.
  std::optional<std::string> one_of(std::string_view key,
                                    std::initializer_list<std::string_view> allowed);

  /// Null where it is absent. The pointers live as long as the object.
  const Json* list(std::string_view key, std::size_t most = kAnySize);
  const Json* object(std::string_view key, std::string_view expected = "an object");
  const Json* value(std::string_view key);  // anything
  std::optional<FieldReader> child(std::string_view key);

  bool has(std::string_view key) { return value(key) != nullptr; }

  /// "options.top_k"
  std::string path_of(std::string_view key) const;
  /// Throws: "path: expected `expected`, found ...".
  [[noreturn]] void refuse(std::string_view key, std::string_view expected) const;
  /// The same where an object or a list is expected; tells of a string that looks like its JSON.
  [[noreturn]] void refuse_structure(std::string_view key, std::string_view expected) const;

  /// Paths of fields that were given (not null) and that nobody asked for.
  std::vector<std::string> unknown() const;

  static constexpr std::size_t kAnySize = std::numeric_limits<std::size_t>::max();

 private:
  const Json* object_;
  std::string path_;
  std::vector<std::string> known_;
};

/// "messages[3]"
std::string element_path(std::string_view list, std::size_t index);

}  // namespace pleiad::api
