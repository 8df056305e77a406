#pragma once

#include <optional>
#include <string>
#include <vector>

namespace pleiad::chart {

struct Bar {
  double value = 0;
  std::optional<double> low = {};   // ends of a whisker
  std::optional<double> high = {};  // both or neither
  std::string mark = {};            // short, after the number: "*"
};

/// Bars that stand together, one a series; nothing where it was not measured.
struct BarGroup {
  std::string name;
  std::vector<std::optional<Bar>> bars;  // by series
};

/// One axis of values, which begins at 0.
struct BarPanel {
  std::string title;  // with the unit: "Generation, tokens/s"
  std::vector<BarGroup> groups;
};

/// Panels beside each other, each with a scale of its own: what is measured in
/// different units, or in thousands here and in tens there.
struct BarChart {
  std::string title;
  std::string subtitle;             // conditions, in one line
  std::vector<std::string> series;  // names
  std::vector<BarPanel> panels;
  std::string note;  // below: what marks mean
};

/// The picture, as SVG that stands alone. Bars whose value is not finite or
/// below 0 are left out.
std::string to_svg(const BarChart& chart);

}  // namespace pleiad::chart
