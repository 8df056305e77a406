#include "formats/bounded_json.h"

#include "base/error.h"
#include "base/text_format.h"

namespace pleiad {
namespace {

constexpr int kMaxDepth = 32;  // a configuration needs five levels

}  // namespace

BoundedJson parse_bounded_json(std::string_view text, const std::string& file) {
  const auto limit = [&](int depth, BoundedJson::parse_event_t /*event*/, BoundedJson& /*value*/) {
    if (depth > kMaxDepth) {
      throw LoadError("{}: JSON is nested more than {} levels deep", file, kMaxDepth);
    }
    return true;
  };
  try {
    return BoundedJson::parse(text, limit);
  } catch (const BoundedJson::exception& error) {
    // "[json.exception.parse_error.101] parse error at line 1, column 6: ..."
    std::string_view what = error.what();
    if (const auto end = what.find("] "); end != what.npos) what.remove_prefix(end + 2);
    throw LoadError("{}: not valid JSON: {}", file, printable(what, 300));
  }
}

}  // namespace pleiad
