#pragma once

#include <span>
#include <string>

#include "chart/svg.h"

namespace pleiad::chart {

/// How a series is drawn, and so how the legend shows it.
struct Look {
  std::string name;  // empty: not in the legend
  int colour = 0;
  int form = 0;         // of its marks
  bool marks = false;   // has marks
  bool filled = true;   // its marks are
  bool line = false;    // has a line
  bool dashed = false;  // the line is
};

/// Pixels that the legend needs; 0 for fewer than two series.
double legend_height(std::span<const Look> looks, double width);

/// Names beside their marks, in as many rows as `width` makes necessary.
void draw_legend(SvgWriter& svg, std::span<const Look> looks, double x, double y, double width);

}  // namespace pleiad::chart
