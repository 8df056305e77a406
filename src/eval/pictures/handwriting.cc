#include "eval/pictures/handwriting.h"

#include <algorithm>
#include <charconv>

namespace pleiad::eval {
namespace {

/// Percent of the box: "x,y x,y ..."; a semicolon lifts the pen. Read by
/// tools/demo_tower/strokes.py.
struct DrawnCharacter {
  char character;
  std::string_view strokes;
};
constexpr DrawnCharacter kDrawnCharacters[] = {
    {'0', "50,0 15,15 5,50 15,85 50,100 85,85 95,50 85,15 50,0"},
    {'1', "25,20 55,0 55,100"},
    {'2', "10,25 30,3 65,0 90,20 85,45 10,100 95,100"},
    {'3', "10,10 50,0 88,15 85,38 45,48 90,60 92,85 50,100 8,88"},
    {'4', "65,0 5,65 95,65 ; 70,35 70,100"},
    {'5', "90,0 20,0 15,42 55,38 90,55 88,85 50,100 8,90"},
    {'6', "80,3 40,15 10,55 15,88 50,100 88,85 85,58 50,48 14,65"},
    {'7', "5,0 95,0 40,100"},
    {'8',
     "50,48 15,30 20,8 50,0 80,8 85,30 50,48 10,68 12,90 50,100 88,90 90,68 "
     "50,48"},
    {'9', "85,35 50,52 15,40 12,15 50,0 85,12 85,35 75,75 45,100"},
    {'a', "85,42 40,40 12,60 12,85 40,100 70,95 85,75 ; 85,42 85,100"},
    {'b', "15,0 15,100 ; 15,55 50,40 85,55 88,80 55,100 15,90"},
    {'c', "85,50 50,40 15,60 15,82 50,100 85,90"},
    {'d', "85,0 85,100 ; 85,55 50,40 15,55 12,80 45,100 85,90"},
    {'e', "15,70 88,70 80,48 50,40 20,50 12,72 20,92 50,100 85,92"},
    {'f', "80,8 60,0 40,10 38,30 38,100 ; 12,42 72,42"},
    {'g', "85,45 45,40 12,55 12,80 45,95 85,80 ; 85,42 85,112 60,130 15,122"},
    {'h', "15,0 15,100 ; 15,60 50,40 82,52 85,100"},
    {'i', "50,42 50,100 ; 50,16 50,22"},
    {'j', "60,42 60,112 40,130 15,122 ; 60,16 60,22"},
    {'k', "15,0 15,100 ; 80,42 18,75 ; 40,66 85,100"},
    {'l', "50,0 50,100"},
    {'m', "8,42 8,100 ; 8,55 30,40 48,52 50,100 ; 50,55 72,40 92,52 93,100"},
    {'n', "15,42 15,100 ; 15,58 50,40 82,52 85,100"},
    {'o', "50,40 18,50 12,70 18,92 50,100 82,92 88,70 82,50 50,40"},
    {'p', "15,42 15,130 ; 15,55 50,40 85,55 88,80 55,100 15,90"},
    {'q', "85,42 85,130 ; 85,55 50,40 15,55 12,80 45,100 85,90"},
    {'r', "20,42 20,100 ; 20,60 45,42 80,45"},
    {'s', "82,48 50,40 20,50 30,66 72,75 82,88 50,100 15,92"},
    {'t', "45,12 45,90 60,100 82,95 ; 15,42 78,42"},
    {'u', "15,42 18,85 45,100 85,82 ; 85,42 85,100"},
    {'v', "10,42 50,100 90,42"},
    {'w', "5,42 28,100 50,50 72,100 95,42"},
    {'x', "12,42 88,100 ; 88,42 12,100"},
    {'y', "12,42 50,95 ; 90,42 30,130"},
    {'z', "12,42 88,42 12,100 90,100"},
};

double percent(std::string_view digits) {
  int value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value / 100.0;
}

}  // namespace

std::vector<std::vector<Point>> strokes_of(char character) {
  std::vector<std::vector<Point>> strokes;
  for (const DrawnCharacter& drawn : kDrawnCharacters) {
    if (drawn.character != character) continue;
    strokes.emplace_back();
    std::string_view rest = drawn.strokes;
    while (!rest.empty()) {
      const std::string_view word = rest.substr(0, rest.find(' '));
      rest.remove_prefix(std::min(word.size() + 1, rest.size()));
      if (word == ";") {
        strokes.emplace_back();
        continue;
      }
      const std::size_t comma = word.find(',');
      strokes.back().push_back({percent(word.substr(0, comma)), percent(word.substr(comma + 1))});
    }
  }
  return strokes;
}

void write_by_hand(Canvas& canvas, std::string_view text, const Handwriting& form, Colour ink) {
  constexpr double kWidth = 0.72;  // of a character, as a share of its slot
  for (std::size_t i = 0; i < text.size(); ++i) {
    const double left = form.corner.x + form.slot * (static_cast<double>(i) + (1 - kWidth) / 2);
    for (std::vector<Point> stroke : strokes_of(text[i])) {
      for (Point& p : stroke) {
        p = {left + p.x * form.slot * kWidth, form.corner.y + p.y * form.height};
      }
      canvas.stroke(stroke, form.thickness, ink);
    }
  }
}

}  // namespace pleiad::eval
