#pragma once

#include <string_view>
#include <vector>

#include "eval/pictures/canvas.h"

namespace pleiad::eval {

/// A digit or a letter from a to z as lines of a pen, in a box one wide: 0 is the top of high
/// letters, 1 the line that they stand on. Another character has none.
std::vector<std::vector<Point>> strokes_of(char character);

struct Handwriting {
  Point corner;          // of the first character's box, at its top
  double slot = 0;       // pixels from one character to the next
  double height = 0;     // of high letters
  double thickness = 0;  // of the pen
};

void write_by_hand(Canvas& canvas, std::string_view text, const Handwriting& form, Colour ink);

}  // namespace pleiad::eval
