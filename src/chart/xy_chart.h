#pragma once

#include <optional>
#include <string>
#include <vector>

#include "chart/axis.h"

namespace pleiad::chart {

struct Point {
  double x = 0;
  double y = 0;
  std::optional<double> low = {};   // ends of an error bar
  std::optional<double> high = {};  // both or neither
  std::string label = {};           // beside the mark where there is room
  std::string note = {};            // under the mouse, after the label
};

struct Series {
  std::string name = {};  // empty: not in the legend
  std::vector<Point> points = {};
  bool line = false;               // joined in the order given
  bool dashed = false;             // the line is
  bool marks = true;               // a mark at each point
  bool filled = true;              // the marks are
  std::optional<int> colour = {};  // as that of another series; else by its own place
};

struct Axis {
  std::string label;
  Scale scale = Scale::linear;
};

/// Points and lines over two axes.
struct XyChart {
  std::string title;
  std::string subtitle;  // conditions, in one line
  Axis x;
  Axis y;
  std::vector<Series> series;
};

/// The picture, as SVG that stands alone. Points that an axis cannot show are
/// left out (not finite; not above 0 where it is logarithmic).
std::string to_svg(const XyChart& chart);

}  // namespace pleiad::chart
