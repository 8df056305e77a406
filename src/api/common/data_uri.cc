#include "api/common/data_uri.h"

#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <utility>

#include "base/ascii.h"
#include "base/base64.h"
#include "base/percent.h"

namespace pleiad::api {
namespace {

constexpr std::string_view kScheme = "data:";
constexpr std::size_t kLongestHead = 1'000;  // type and parameters

Result<std::string> percent_decoded(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    const auto byte = percent_byte(text.substr(i));
    if (!byte) {
      return Failure{
          fmt::format("expected two hexadecimal digits behind the '%' at character {}", i + 1)};
    }
    out += *byte;
    i += 2;
  }
  return out;
}

}  // namespace

bool is_data_uri(std::string_view text) {
  return ascii_lower(text.substr(0, kScheme.size())) == kScheme;
}

Result<DataUri> read_data_uri(std::string_view uri) {
  std::string_view rest = uri.substr(kScheme.size());
  const std::size_t comma = rest.substr(0, kLongestHead).find(',');
  if (comma == rest.npos) return Failure{"expected \"data:TYPE;base64,...\", found no comma"};
  const std::string_view head = rest.substr(0, comma);
  rest.remove_prefix(comma + 1);
  DataUri read;
  read.media_type = ascii_lower(ascii_trimmed(head.substr(0, head.find(';')), " "));
  const std::size_t last = head.rfind(';');
  const bool is_base64 =
      last != head.npos && ascii_lower(ascii_trimmed(head.substr(last + 1), " ")) == "base64";
  std::string unescaped;
  if (rest.find('%') != rest.npos || !is_base64) {
    Result<std::string> decoded = percent_decoded(rest);
    if (!decoded) return Failure{decoded.message()};
    unescaped = std::move(decoded).value();
    rest = unescaped;
  }
  if (!is_base64) {
    read.bytes = std::move(unescaped);
    return read;
  }
  Result<std::string> bytes = decode_base64(rest);
  if (!bytes) return Failure{bytes.message()};
  read.bytes = std::move(bytes).value();
  return read;
}

}  // namespace pleiad::api
