#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace pleiad::eval {

using Colour = std::array<std::uint8_t, 3>;  // red, green, blue

struct Point {
  double x = 0;
  double y = 0;
};

/// Draws into pixels, with smooth edges. What lies outside is cut off.
class Canvas {
 public:
  Canvas(int width, int height, Colour paper);

  int width() const { return width_; }
  int height() const { return height_; }

  /// The inside of a closed outline, by the even-odd rule.
  void fill(std::span<const Point> outline, Colour ink);

  /// A line of that thickness from point to point, with round ends and corners.
  void stroke(std::span<const Point> path, double thickness, Colour ink);

  /// uint8 [height, width, 3].
  const std::vector<std::uint8_t>& rgb() const { return rgb_; }

 private:
  /// Adds to `coverage_` what the outline covers, in lines of a fraction of a pixel.
  void cover(std::span<const Point> outline);
  /// Lays the ink over what is covered, and forgets that it is.
  void lay(Colour ink);

  int width_;
  int height_;
  std::vector<std::uint8_t> rgb_;
  std::vector<float> coverage_;  // [height, width], 0 to 1 and more where outlines overlap
};

}  // namespace pleiad::eval
