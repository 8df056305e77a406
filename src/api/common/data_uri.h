#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace pleiad::api {

/// What a data: URI (RFC 2397) holds.
struct DataUri {
  std::string media_type;  // "image/png", in lower case and without parameters; may be empty
  std::string bytes;
};

/// Whether a text begins with "data:", in any case of letters.
bool is_data_uri(std::string_view text);

/// Reads one: base64 or percent-encoded, base64 itself percent-encoded too. A Failure says what is
/// wrong: "expected base64, found '-' at character 12".
Result<DataUri> read_data_uri(std::string_view uri);

}  // namespace pleiad::api
