#include "chart/legend.h"

namespace pleiad::chart {
namespace {

constexpr double kRowHeight = 20;
constexpr double kMarkWidth = 28;
constexpr double kGap = 18;

/// Calls visit(look, x, row) for every entry; returns the number of rows.
template <typename Visit>
int lay_out(std::span<const Look> looks, double width, const Visit& visit) {
  double x = 0;
  int row = 0;
  for (const Look& look : looks) {
    if (look.name.empty()) continue;
    const double entry = kMarkWidth + text_width(look.name, 12);
    if (x > 0 && x + entry > width) {
      x = 0;
      ++row;
    }
    visit(look, x, row);
    x += entry + kGap;
  }
  return row + 1;
}

}  // namespace

double legend_height(std::span<const Look> looks, double width) {
  if (looks.size() < 2) return 0;
  return kRowHeight * lay_out(looks, width, [](const Look&, double, int) {}) + 6;
}

void draw_legend(SvgWriter& svg, std::span<const Look> looks, double x, double y, double width) {
  if (looks.size() < 2) return;
  lay_out(looks, width, [&](const Look& look, double dx, int row) {
    const double left = x + dx;
    const double middle = y + kRowHeight * row + kRowHeight / 2;
    if (look.line) {
      const std::string data = "M" + std::to_string(static_cast<int>(left)) + "," +
                               std::to_string(static_cast<int>(middle)) + "h22";
      svg.stroke(data, look.colour, look.dashed);
    }
    if (look.marks) {
      svg.mark(left + 11, middle, look.colour, look.form, look.filled, look.name);
    }
    if (!look.marks && !look.line) {
      svg.bar(left + 5, middle - 6, 12, 12, look.colour, look.name);
    }
    svg.text(left + kMarkWidth, middle + 4, look.name, "text");
  });
}

}  // namespace pleiad::chart
