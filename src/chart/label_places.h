#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "chart/svg.h"

namespace pleiad::chart {

struct Box {
  double left = 0;
  double top = 0;
  double right = 0;
  double bottom = 0;
};

/// Where small text fits that belongs to a mark, over nothing that is there.
class LabelPlaces {
 public:
  struct Place {
    double x = 0;
    double y = 0;  // of the baseline
    Anchor anchor = Anchor::start;
  };

  void occupy(const Box& box) { taken_.push_back(box); }

  /// Right, left, above, below or at a corner of (x, y), inside `limits`; takes the place.
  /// Nothing where all are taken.
  std::optional<Place> find(double x, double y, std::string_view text, const Box& limits);

 private:
  std::vector<Box> taken_;
};

}  // namespace pleiad::chart
