#include "eval/pictures/canvas.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pleiad::eval {
namespace {

constexpr int kLinesPerPixel = 4;
constexpr int kCorners = 16;  // of a round end

/// Where the outline crosses a horizontal line, from left to right.
std::vector<double> crossings(std::span<const Point> outline, double y) {
  std::vector<double> found;
  for (std::size_t i = 0; i < outline.size(); ++i) {
    const Point& a = outline[i];
    const Point& b = outline[(i + 1) % outline.size()];
    if ((a.y <= y) == (b.y <= y)) continue;
    found.push_back(a.x + (y - a.y) / (b.y - a.y) * (b.x - a.x));
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

Canvas::Canvas(int width, int height, Colour paper) : width_(width), height_(height) {
  const auto n = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  rgb_.reserve(n * 3);
  for (std::size_t i = 0; i < n; ++i) rgb_.insert(rgb_.end(), paper.begin(), paper.end());
  coverage_.resize(n);
}

void Canvas::fill(std::span<const Point> outline, Colour ink) {
  cover(outline);
  lay(ink);
}

void Canvas::stroke(std::span<const Point> path, double thickness, Colour ink) {
  const double r = thickness / 2;
  for (const Point& p : path) {
    std::vector<Point> disc;
    for (int i = 0; i < kCorners; ++i) {
      const double angle = 2 * std::numbers::pi * i / kCorners;
      disc.push_back({p.x + r * std::cos(angle), p.y + r * std::sin(angle)});
    }
    cover(disc);
  }
  for (std::size_t i = 1; i < path.size(); ++i) {
    const Point& a = path[i - 1];
    const Point& b = path[i];
    const double length = std::hypot(b.x - a.x, b.y - a.y);
    if (length <= 0) continue;
    const double dx = (b.x - a.x) / length * r;
    const double dy = (b.y - a.y) / length * r;
    const Point side[] = {
        {a.x - dy, a.y + dx}, {b.x - dy, b.y + dx}, {b.x + dy, b.y - dx}, {a.x + dy, a.y - dx}};
    cover(side);
  }
  lay(ink);
}

void Canvas::cover(std::span<const Point> outline) {
  if (outline.empty()) return;
  const auto [low, high] = std::minmax_element(
      outline.begin(), outline.end(), [](const Point& a, const Point& b) { return a.y < b.y; });
  const int first = std::clamp(static_cast<int>(std::floor(low->y)), 0, height_);
  const int last = std::clamp(static_cast<int>(std::ceil(high->y)), 0, height_);
  for (int row = first; row < last; ++row) {
    float* line = coverage_.data() + static_cast<std::ptrdiff_t>(row) * width_;
    for (int part = 0; part < kLinesPerPixel; ++part) {
      const std::vector<double> at = crossings(outline, row + (part + 0.5) / kLinesPerPixel);
      for (std::size_t i = 0; i + 1 < at.size(); i += 2) {
        const double from = std::clamp(at[i], 0.0, static_cast<double>(width_));
        const double to = std::clamp(at[i + 1], 0.0, static_cast<double>(width_));
        for (int x = static_cast<int>(from); x < width_ && x < to; ++x) {
          const double inside = std::min(to, x + 1.0) - std::max(from, static_cast<double>(x));
          line[x] += static_cast<float>(inside / kLinesPerPixel);
        }
      }
    }
  }
}

void Canvas::lay(Colour ink) {
  for (std::size_t i = 0; i < coverage_.size(); ++i) {
    if (coverage_[i] <= 0) continue;
    const float share = std::min(coverage_[i], 1.0F);
    for (std::size_t c = 0; c < 3; ++c) {
      const float old = rgb_[i * 3 + c];
      const float mixed = old + (static_cast<float>(ink[c]) - old) * share;
      rgb_[i * 3 + c] = static_cast<std::uint8_t>(std::lround(mixed));
    }
    coverage_[i] = 0;
  }
}

}  // namespace pleiad::eval
