#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace pleiad {

/// The bytes that base64 stands for (RFC 4648, section 4): its own alphabet, padded, without stray
/// bits at the end. White space between the characters is passed over, as in mails and files. A
/// Failure says what is wrong and at which character: "expected base64, found '-' at character 12".
Result<std::string> decode_base64(std::string_view text);

std::string encode_base64(std::string_view bytes);

}  // namespace pleiad
