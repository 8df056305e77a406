#include "chart/label_places.h"

#include <algorithm>
#include <array>

namespace pleiad::chart {
namespace {

bool overlap(const Box& a, const Box& b) {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

bool inside(const Box& box, const Box& limits) {
  return box.left >= limits.left && box.right <= limits.right && box.top >= limits.top &&
         box.bottom <= limits.bottom;
}

}  // namespace

std::optional<LabelPlaces::Place> LabelPlaces::find(double x, double y, std::string_view text,
                                                    const Box& limits) {
  constexpr double kSize = 11;  // of the class "small"
  const double width = text_width(text, kSize);
  const std::array<Place, 8> places = {
      Place{x + 9, y + 4, Anchor::start}, Place{x - 9, y + 4, Anchor::end},
      Place{x, y - 10, Anchor::middle},   Place{x, y + 18, Anchor::middle},
      Place{x + 7, y - 7, Anchor::start}, Place{x + 7, y + 15, Anchor::start},
      Place{x - 7, y - 7, Anchor::end},   Place{x - 7, y + 15, Anchor::end}};
  for (const Place& place : places) {
    const double left = place.anchor == Anchor::start    ? place.x
                        : place.anchor == Anchor::middle ? place.x - width / 2
                                                         : place.x - width;
    const Box box = {left, place.y - kSize + 1, left + width, place.y + 3};
    const bool is_free = inside(box, limits) && std::ranges::none_of(taken_, [&](const Box& other) {
                           return overlap(box, other);
                         });
    if (!is_free) continue;
    taken_.push_back(box);
    return place;
  }
  return std::nullopt;
}

}  // namespace pleiad::chart
