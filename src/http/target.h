#pragma once

#include <map>
#include <string>
#include <string_view>
#include <variant>

#include "http/refusal.h"

namespace pleiad::http {

/// What the first line of a request asks for.
struct Target {
  std::string path;  // decoded, with single slashes; "*" for OPTIONS of the whole server
  std::map<std::string, std::string> query;
  std::string authority;  // of the absolute form "http://host/path"; else empty
};

/// Slashes in a row are one, and one at the end of a path is none: clients put a base address
/// and a path together in every way. There is one path from here on, for the gate as for the
/// routes. Then escapes become the bytes they stand for, once. "%2F" becomes a slash like any
/// other, and stays where it is (the name of a model may begin with one): a pattern's {name}
/// never holds one, {name...} may. Bad escapes, control characters, text that is not UTF-8 and
/// segments "." and ".." are refused. Of a repeated query name the last value counts.
std::variant<Target, Refusal> parse_target(std::string_view target);

}  // namespace pleiad::http
