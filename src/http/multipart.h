#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pleiad::http {

/// A field of a form: a text, or a file.
struct FormPart {
  std::string name;
  std::string file_name;     // empty: none was said
  bool is_file = false;      // has a file name, be it an empty one
  std::string_view content;  // lies in the body
};

/// What a form may have.
inline constexpr std::size_t kMostFormParts = 64;
inline constexpr std::size_t kLongestPartHead = 8'192;

/// The parts of a body of type multipart/form-data (RFC 7578, RFC 2046), in order; `content_type`
/// is the header, which names the boundary. A Failure says what was expected. A part that is not
/// ended by the boundary is none: the body was cut off.
Result<std::vector<FormPart>> parse_multipart(std::string_view body, std::string_view content_type);

}  // namespace pleiad::http
