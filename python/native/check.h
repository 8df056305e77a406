#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <string>
#include <vector>

#include "api/common/request_error.h"

namespace pleiad::python {

/// One of a table's names. Throws api::RequestError that names the argument.
template <typename T>
T named(const char* field, const std::string& text, const std::map<std::string, T>& table) {
  const auto found = table.find(text);
  if (found != table.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [name, value] : table) names.push_back(name);
  throw api::RequestError(field,
                          fmt::format("expected {}, found '{}'", fmt::join(names, ", "), text));
}

/// A number that is within its range (NaN is not). Throws likewise.
template <typename T>
T within(const char* field, T value, T least, T most) {
  if (value >= least && value <= most) return value;
  throw api::RequestError(field, fmt::format("expected {} to {}, found {}", least, most, value));
}

}  // namespace pleiad::python
