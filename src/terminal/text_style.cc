#include "terminal/text_style.h"

#include <array>
#include <utility>

namespace pleiad::terminal {

std::string style_sequence(TextStyle style) {
  constexpr std::array<std::pair<TextStyle, const char*>, 6> kCodes = {{{kBold, ";1"},
                                                                        {kDim, ";2"},
                                                                        {kItalic, ";3"},
                                                                        {kUnderlined, ";4"},
                                                                        {kStruck, ";9"},
                                                                        {kCode, ";36"}}};
  std::string sequence = "\x1b[0";
  for (const auto& [bit, code] : kCodes) {
    if ((static_cast<unsigned>(style) & bit) != 0) sequence += code;
  }
  return sequence + "m";
}

}  // namespace pleiad::terminal
