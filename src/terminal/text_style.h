#pragma once

#include <cstdint>
#include <string>

namespace pleiad::terminal {

/// How a piece of text looks: a set of these.
enum TextStyle : std::uint8_t {
  kPlain = 0,
  kBold = 1,
  kDim = 2,
  kItalic = 4,
  kUnderlined = 8,
  kStruck = 16,
  kCode = 32,  // in cyan
};

inline TextStyle operator|(TextStyle a, TextStyle b) {
  return static_cast<TextStyle>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}

/// The sequence (ECMA-48, SGR) after which text looks so, whatever came before.
std::string style_sequence(TextStyle style);

}  // namespace pleiad::terminal
