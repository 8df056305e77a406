#include "chart/xy_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "chart/label_places.h"
#include "chart/legend.h"
#include "chart/svg.h"

namespace pleiad::chart {
namespace {

constexpr double kWidth = 820;
constexpr double kXyPlotHeight = 400;
constexpr double kLeft = 68;
constexpr double kRight = 24;
constexpr double kBelow = 54;

std::vector<Look> looks_of_series(const XyChart& chart) {
  std::vector<Look> looks;
  for (const Series& series : chart.series) {
    const int index = static_cast<int>(looks.size());
    const int colour = series.colour.value_or(index);
    looks.push_back(
        {series.name, colour, colour, series.marks, series.filled, series.line, series.dashed});
  }
  return looks;
}

/// What has a place on both axes.
std::vector<Point> shown_points(const XyChart& chart, const Series& series) {
  std::vector<Point> points;
  for (Point point : series.points) {
    if (!can_show(point.x, chart.x.scale) || !can_show(point.y, chart.y.scale)) continue;
    const bool bar = point.low && point.high && can_show(*point.low, chart.y.scale) &&
                     can_show(*point.high, chart.y.scale);
    if (!bar) point.low = point.high = std::nullopt;
    points.push_back(std::move(point));
  }
  return points;
}

class Drawing {
 public:
  Drawing(const XyChart& chart, SvgWriter& svg, double top)
      : chart_(chart),
        svg_(svg),
        top_(top),
        looks_(looks_of_series(chart)),
        x_(values(true), chart.x.scale, kLeft, kWidth - kRight, false),
        y_(values(false), chart.y.scale, top + kXyPlotHeight, top, true) {}

  void draw() {
    draw_axes();
    for (std::size_t i = 0; i < looks_.size(); ++i) draw_lines(chart_.series[i], looks_[i]);
    for (std::size_t i = 0; i < looks_.size(); ++i) draw_marks(chart_.series[i], looks_[i]);
    for (const Series& series : chart_.series) draw_labels(series);
  }

 private:
  std::vector<double> values(bool of_x) const {
    std::vector<double> values;
    for (const Series& series : chart_.series) {
      for (const Point& point : shown_points(chart_, series)) {
        values.push_back(of_x ? point.x : point.y);
        if (of_x || !point.low) continue;
        values.push_back(*point.low);
        values.push_back(*point.high);
      }
    }
    return values;
  }

  void draw_axes() {
    const double bottom = top_ + kXyPlotHeight;
    for (const Tick& tick : x_.ticks()) {
      const double x = x_.pixel(tick.value);
      svg_.line(x, top_, x, bottom, "grid");
      if (!tick.label.empty()) svg_.text(x, bottom + 17, tick.label, "soft", Anchor::middle);
    }
    for (const Tick& tick : y_.ticks()) {
      const double y = y_.pixel(tick.value);
      svg_.line(kLeft, y, kWidth - kRight, y, "grid");
      if (!tick.label.empty()) svg_.text(kLeft - 8, y + 4, tick.label, "soft", Anchor::end);
    }
    svg_.line(kLeft, bottom, kWidth - kRight, bottom, "axis");
    svg_.line(kLeft, top_, kLeft, bottom, "axis");
    svg_.text((kLeft + kWidth - kRight) / 2, bottom + 40, chart_.x.label, "text", Anchor::middle);
    svg_.vertical_text(18, top_ + kXyPlotHeight / 2, chart_.y.label, "text");
  }

  void draw_lines(const Series& series, const Look& look) {
    std::string data;
    for (const Point& point : shown_points(chart_, series)) {
      const double x = x_.pixel(point.x);
      const double y = y_.pixel(point.y);
      if (look.line) data += fmt::format("{}{:.1f},{:.1f}", data.empty() ? 'M' : 'L', x, y);
      if (!point.low) continue;
      const double low = y_.pixel(*point.low);
      const double high = y_.pixel(*point.high);
      svg_.stroke(fmt::format("M{0:.1f},{2:.1f}V{3:.1f}M{1:.1f},{2:.1f}h8M{1:.1f},{3:.1f}h8", x,
                              x - 4, low, high),
                  look.colour, false);
      places_.occupy({x - 5, high, x + 5, low});
    }
    if (!data.empty()) svg_.stroke(data, look.colour, look.dashed);
  }

  void draw_marks(const Series& series, const Look& look) {
    if (!look.marks) return;
    for (const Point& point : shown_points(chart_, series)) {
      const double x = x_.pixel(point.x);
      const double y = y_.pixel(point.y);
      std::string tooltip = point.label.empty() ? series.name : point.label;
      tooltip += fmt::format(": {}, {}", number_label(point.x), number_label(point.y));
      if (!point.note.empty()) tooltip += "; " + point.note;
      svg_.mark(x, y, look.colour, look.form, look.filled, tooltip);
      places_.occupy({x - 6, y - 6, x + 6, y + 6});
    }
  }

  void draw_labels(const Series& series) {
    for (const Point& point : shown_points(chart_, series)) {
      if (point.label.empty()) continue;
      const auto place = places_.find(x_.pixel(point.x), y_.pixel(point.y), point.label,
                                      {kLeft + 2, top_, kWidth - 4, top_ + kXyPlotHeight});
      if (place) svg_.text(place->x, place->y, point.label, "small", place->anchor);
    }
  }

  const XyChart& chart_;
  SvgWriter& svg_;
  double top_;
  std::vector<Look> looks_;
  AxisMap x_;
  AxisMap y_;
  LabelPlaces places_;
};

}  // namespace

std::string to_svg(const XyChart& chart) {
  const std::vector<Look> looks = looks_of_series(chart);
  const double width = kWidth - kLeft - kRight;
  const double head = chart.subtitle.empty() ? 40 : 60;
  const double top = head + legend_height(looks, width);
  SvgWriter svg(kWidth, top + kXyPlotHeight + kBelow, chart.title,
                fmt::format("{} over {}. {}", chart.y.label, chart.x.label, chart.subtitle));
  svg.text(kLeft, 26, chart.title, "title");
  if (!chart.subtitle.empty()) svg.text(kLeft, 46, chart.subtitle, "soft");
  draw_legend(svg, looks, kLeft, head - 6, width);
  Drawing(chart, svg, top).draw();
  return svg.finish();
}

}  // namespace pleiad::chart
