#include "eval/pictures/scene.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/check.h"
#include "eval/dice.h"
#include "eval/pictures/handwriting.h"

namespace pleiad::eval {
namespace {

constexpr int kTokenSide = 48;  // pixels of a soft token
constexpr int kCurvePoints = 64;
constexpr Colour kInks[] = {{215, 30, 35},  {25, 150, 50},  {35, 70, 215}, {245, 215, 25},
                            {245, 130, 15}, {130, 40, 165}, {15, 15, 15}};
constexpr Colour kPapers[] = {{255, 255, 255}, {255, 255, 255}, {226, 236, 250}, {250, 240, 226}};

Colour ink_of(std::string_view name) {
  const auto found = std::ranges::find(kSceneColours, name);
  CHECK(found != std::end(kSceneColours), "no colour {}", name);
  return kInks[found - std::begin(kSceneColours)];
}

struct Place {
  Point center;
  double radius;
};

/// Places that do not touch each other or the border.
std::vector<Place> places(Dice& dice, int count, const Canvas& canvas) {
  CHECK(count >= 1 && count <= 6, "{} shapes", count);
  constexpr double kLargest[] = {0.36, 0.24, 0.2, 0.17, 0.155, 0.14};  // by the shapes' number
  const double side = std::min(canvas.width(), canvas.height());
  double radius = side * dice.between(0.11, kLargest[count - 1]);
  for (;; radius *= 0.95) {
    std::vector<Place> found;
    for (int i = 0; i < count * 30 && std::ssize(found) < count; ++i) {
      const double edge = radius * 1.1;
      const Point at = {dice.between(edge, canvas.width() - edge),
                        dice.between(edge, canvas.height() - edge)};
      const bool is_free = std::ranges::all_of(found, [&](const Place& other) {
        return std::hypot(at.x - other.center.x, at.y - other.center.y) >
               2.3 * radius + side * 0.02;
      });
      if (is_free) found.push_back({at, radius});
    }
    if (std::ssize(found) == count) return found;
  }
}

/// Around the origin, about one in radius; y grows downwards.
std::vector<Point> unit_outline(std::string_view shape) {
  using std::numbers::pi;
  if (shape == "square") return {{-0.85, -0.85}, {0.85, -0.85}, {0.85, 0.85}, {-0.85, 0.85}};
  if (shape == "triangle") return {{0, -1}, {0.95, 0.75}, {-0.95, 0.75}};
  if (shape == "cross") {
    constexpr double a = 0.29;
    return {{-a, -1}, {a, -1}, {a, -a}, {1, -a}, {1, a},   {a, a},
            {a, 1},   {-a, 1}, {-a, a}, {-1, a}, {-1, -a}, {-a, -a}};
  }
  std::vector<Point> points;
  if (shape == "star") {
    for (int i = 0; i < 10; ++i) {
      const double r = i % 2 == 0 ? 1 : 0.44;
      points.push_back({r * std::sin(i * pi / 5), -r * std::cos(i * pi / 5)});
    }
    return points;
  }
  for (int i = 0; i < kCurvePoints; ++i) {
    const double t = 2 * pi * i / kCurvePoints;
    if (shape == "heart") {
      points.push_back(
          {std::pow(std::sin(t), 3),
           -(13 * std::cos(t) - 5 * std::cos(2 * t) - 2 * std::cos(3 * t) - std::cos(4 * t)) / 16 -
               0.1});
    } else {
      CHECK(shape == "circle", "no shape {}", shape);
      points.push_back({std::cos(t), std::sin(t)});
    }
  }
  return points;
}

void draw_text(Canvas& canvas, Dice& dice, std::string_view text, Colour ink) {
  const double width = canvas.width();
  const double height = canvas.height();
  Handwriting form;
  form.slot =
      std::min(width * dice.between(0.6, 0.9) / static_cast<double>(text.size()), height * 0.55);
  form.height = std::min(height * 0.65, form.slot * dice.between(1.2, 1.6));
  const double n_slots = static_cast<double>(text.size());
  form.corner = {dice.between(0.03 * width, 0.97 * width - form.slot * n_slots),
                 dice.between(0.06 * height, 0.94 * height - form.height * 1.3)};
  form.thickness = form.slot * dice.between(0.1, 0.15);
  write_by_hand(canvas, text, form, ink);
}

}  // namespace

std::vector<Point> shape_outline(std::string_view shape, Point center, double radius,
                                 double angle) {
  std::vector<Point> points = unit_outline(shape);
  for (Point& p : points) {
    p = {center.x + radius * (p.x * std::cos(angle) - p.y * std::sin(angle)),
         center.y + radius * (p.x * std::sin(angle) + p.y * std::cos(angle))};
  }
  return points;
}

PictureInput draw_scene(const Scene& scene, int budget) {
  const double aspect = scene.shape.empty() ? 2 : 1;
  const int columns = static_cast<int>(std::sqrt(budget * aspect));
  const int rows = static_cast<int>(std::sqrt(budget / aspect));
  Dice dice(scene.seed);
  const auto paper = static_cast<std::size_t>(dice.between(0, std::size(kPapers) - 0.01));
  Canvas canvas(columns * kTokenSide, rows * kTokenSide, kPapers[paper]);
  const Colour ink = ink_of(scene.colour);
  if (scene.shape.empty()) {
    draw_text(canvas, dice, scene.text, ink);
  } else {
    for (const Place& place : places(dice, scene.count, canvas)) {
      canvas.fill(shape_outline(scene.shape, place.center, place.radius, dice.between(-0.2, 0.2)),
                  ink);
    }
  }
  return make_picture_input(canvas.width(), canvas.height(), canvas.rgb());
}

}  // namespace pleiad::eval
