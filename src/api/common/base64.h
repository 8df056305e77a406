#pragma once

#include <string_view>

namespace pleiad::api {

/// Standard base64 (RFC 4648, padded), at least one byte, no white space.
bool is_base64(std::string_view text);

}  // namespace pleiad::api
