#pragma once

#include <charconv>
#include <string_view>

#include "media/documents/markup/xml_events.h"

namespace pleiad::media {

/// A number from 0 of at most six digits; `otherwise` where it is none.
inline int docx_number(std::string_view text, int otherwise) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = error == std::errc() && end == text.data() + text.size() && number >= 0;
  return is_number && text.size() <= 6 ? number : otherwise;
}

/// A switch such as w:vanish: on where it stands there, unless its value says otherwise.
inline bool docx_is_on(const XmlElement& element) {
  const std::string_view value = element.attribute("val");
  return value != "0" && value != "false" && value != "off";
}

}  // namespace pleiad::media
