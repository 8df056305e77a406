// What the battery's pictures show is there: areas, numbers of shapes, sizes, every character.

#include "eval/pictures/scene.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <numbers>

#include "base/testing/sanitizers.h"
#include "eval/battery.h"
#include "eval/pictures/handwriting.h"

namespace pleiad::eval {
namespace {

constexpr Colour kWhite = {255, 255, 255};
constexpr Colour kBlack = {0, 0, 0};

/// How many pixels' worth of ink there is, black on white.
double ink_area(const Canvas& canvas) {
  double sum = 0;
  for (const std::uint8_t value : canvas.rgb()) sum += 255 - value;
  return sum / (255 * 3);
}

TEST(Canvas, CoversWhatLiesInside) {
  Canvas canvas(8, 4, kWhite);
  const Point box[] = {{1.5, 1}, {3, 1}, {3, 3}, {1.5, 3}};
  canvas.fill(box, kBlack);
  EXPECT_NEAR(ink_area(canvas), 3, 0.02);
  EXPECT_NEAR(canvas.rgb()[(1 * 8 + 1) * 3], 127.5, 1);  // half of the pixel
  EXPECT_EQ(canvas.rgb()[(1 * 8 + 2) * 3], 0);
  EXPECT_EQ(canvas.rgb()[(1 * 8 + 3) * 3], 255);
}

TEST(Canvas, CutsOffWhatLiesOutside) {
  Canvas canvas(4, 4, kWhite);
  const Point box[] = {{-9, -9}, {2, -9}, {2, 99}, {-9, 99}};
  canvas.fill(box, kBlack);
  EXPECT_NEAR(ink_area(canvas), 8, 0.02);
  const Point far[] = {{50, 50}, {60, 50}, {60, 60}};
  canvas.fill(far, kBlack);
  canvas.stroke(far, 3, kBlack);
  EXPECT_NEAR(ink_area(canvas), 8, 0.02);
}

TEST(Canvas, ALineHasItsThicknessAndRoundEnds) {
  Canvas canvas(60, 30, kWhite);
  const Point line[] = {{10, 15}, {50, 15}};
  canvas.stroke(line, 6, kBlack);
  EXPECT_NEAR(ink_area(canvas), 40 * 6 + std::numbers::pi * 9, 3);
}

TEST(Scene, ShapesHaveTheAreasThatGeometryGivesThem) {
  const double r = 80;
  const std::pair<std::string_view, double> areas[] = {
      {"circle", std::numbers::pi * r * r},
      {"square", 4 * 0.85 * 0.85 * r * r},
      {"triangle", 0.95 * 1.75 * r * r},
      {"star", 5 * 0.44 * std::sin(std::numbers::pi / 5) * r * r},  // ten triangles
      {"cross", (4 * 2 * 0.29 - 4 * 0.29 * 0.29) * r * r},
      {"heart", 180 * std::numbers::pi / 256 * r * r},  // of the curve's own formula
  };
  for (const auto& [shape, area] : areas) {
    for (const double angle : {0.0, 0.3}) {
      Canvas canvas(200, 200, kWhite);
      canvas.fill(shape_outline(shape, {100, 100}, r, angle), kBlack);
      EXPECT_NEAR(ink_area(canvas) / area, 1, 0.01) << shape;
    }
  }
}

/// Regions of touching pixels that are mostly ink: far from the first pixel's colour.
int regions(const PictureInput& picture) {
  const auto is_ink = [&](int x, int y) {
    const auto at = static_cast<std::size_t>(y * picture.width + x) * 3;
    int distance = 0;
    for (std::size_t c = 0; c < 3; ++c) distance += std::abs(picture.rgb[at + c] - picture.rgb[c]);
    return distance > 100;
  };
  std::vector<bool> seen(static_cast<std::size_t>(picture.width) *
                         static_cast<std::size_t>(picture.height));
  int n = 0;
  for (int start = 0; start < picture.width * picture.height; ++start) {
    std::vector<int> todo = {start};
    bool is_new = false;
    while (!todo.empty()) {
      const int at = todo.back();
      todo.pop_back();
      const int x = at % picture.width;
      const int y = at / picture.width;
      if (seen[static_cast<std::size_t>(at)] || !is_ink(x, y)) continue;
      seen[static_cast<std::size_t>(at)] = true;
      is_new = true;
      if (x > 0) todo.push_back(at - 1);
      if (x + 1 < picture.width) todo.push_back(at + 1);
      if (y > 0) todo.push_back(at - picture.width);
      if (y + 1 < picture.height) todo.push_back(at + picture.width);
    }
    n += is_new ? 1 : 0;
  }
  return n;
}

TEST(Scene, EveryPictureOfTheBatteryHasItsShapes) {
  int n_scenes = 0;
  for (const Check& check : make_battery({})) {
    for (const Case& item : check.cases) {
      for (const Scene& scene : item.pictures) {
        if (++n_scenes % unless_sanitized(1, 8) != 0) continue;
        const PictureInput picture = draw_scene(scene, 70);
        const int n = regions(picture);
        if (scene.shape.empty()) {
          EXPECT_GE(n, std::ssize(scene.text)) << scene.text;
        } else {
          EXPECT_EQ(n, scene.count) << check.name << "/" << item.id;
        }
      }
    }
  }
  EXPECT_GE(n_scenes, 40);
}

TEST(Scene, FillsItsBudgetAndIsTheSameAtEveryCall) {
  const Scene shapes = {.colour = "red", .shape = "star", .count = 3, .seed = 5};
  const Scene text = {.colour = "blue", .text = "dog", .seed = 5};
  for (const int budget : {70, 140, 280, 560, 1120}) {
    if (kSanitized && budget > 140) break;
    for (const Scene& scene : {shapes, text}) {
      const PictureInput picture = draw_scene(scene, budget);
      EXPECT_EQ(picture.width % 48 + picture.height % 48, 0);
      const int tokens = (picture.width / 48) * (picture.height / 48);
      EXPECT_TRUE(tokens <= budget && tokens * 2 >= budget) << tokens << " of " << budget;
      EXPECT_EQ(picture.digest, draw_scene(scene, budget).digest);
    }
  }
  Scene moved = shapes;
  moved.seed = 6;
  EXPECT_NE(draw_scene(moved, 70).digest, draw_scene(shapes, 70).digest);
  EXPECT_EQ(draw_scene(shapes, 70).width, 384);
  EXPECT_EQ(draw_scene(text, 70).width, 528);
}

TEST(Handwriting, HasEveryDigitAndLetterWithinItsBox) {
  for (const char character : std::string_view("0123456789abcdefghijklmnopqrstuvwxyz")) {
    const auto strokes = strokes_of(character);
    ASSERT_FALSE(strokes.empty()) << character;
    for (const auto& stroke : strokes) {
      EXPECT_GE(stroke.size(), 2U) << character;
      for (const Point& p : stroke) {
        EXPECT_TRUE(p.x >= 0 && p.x <= 1 && p.y >= 0 && p.y <= 1.3) << character;
      }
    }
  }
  EXPECT_TRUE(strokes_of('!').empty());
}

}  // namespace
}  // namespace pleiad::eval
