#pragma once

#include <map>
#include <string>
#include <string_view>
#include <variant>

#include "http/refusal.h"

namespace pleiad::http {

/// What the first line of a request asks for.
struct Target {
  std::string path;  // decoded; "*" for OPTIONS of the whole server
  std::map<std::string, std::string> query;
  std::string authority;  // of the absolute form "http://host/path"; else empty
};

/// Escapes become the bytes they stand for, once. "%2F" becomes a slash like any
/// other: a pattern's {name} never holds one, {name...} may. Bad escapes, control
/// characters, text that is not UTF-8 and segments "." and ".." are refused. Of a
/// repeated query name the last value counts.
std::variant<Target, Refusal> parse_target(std::string_view target);

}  // namespace pleiad::http
