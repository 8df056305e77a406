#include "base/json.h"

#include <algorithm>

#include "base/error.h"
#include "base/text_format.h"

namespace pleiad {
namespace {

constexpr int kMaxDepth = 64;

/// Brackets that are open at once, those in strings not counted. Right for any
/// valid JSON; of other text the parser says what is wrong.
int nesting_depth(std::string_view text) {
  int depth = 0;
  int deepest = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      deepest = std::max(deepest, ++depth);
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return deepest;
}

}  // namespace

Json parse_json(std::string_view text, const std::string& source) {
  if (nesting_depth(text) > kMaxDepth) {
    throw Error("{}: JSON is nested more than {} levels deep", source, kMaxDepth);
  }
  try {
    return Json::parse(text);
  } catch (const Json::exception& error) {
    // "[json.exception.parse_error.101] parse error at line 1, column 6: ..."
    std::string_view what = error.what();
    if (const auto end = what.find("] "); end != what.npos) what.remove_prefix(end + 2);
    throw Error("{}: not JSON: {}", source, printable(what, 300));
  }
}

Json json_or_discarded(std::string_view text) { return Json::parse(text, nullptr, false); }

std::string to_text(const Json& value, int indent) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

std::string exact_text(const Json& value, const std::string& what, int indent) {
  try {
    return value.dump(indent);
  } catch (const Json::exception&) {
    throw Error("{} is not valid UTF-8, and cannot be written down", what);
  }
}

}  // namespace pleiad
