#include "chart/bar_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "chart/axis.h"
#include "chart/legend.h"
#include "chart/svg.h"

namespace pleiad::chart {
namespace {

constexpr double kBarPlotHeight = 260;
constexpr double kMargin = 24;
constexpr double kAxisWidth = 48;
constexpr double kPanelGap = 28;
constexpr double kBarWidth = 34;
constexpr double kBarGap = 4;
constexpr double kGroupGap = 30;

bool is_shown(const std::optional<Bar>& bar) {
  return bar && std::isfinite(bar->value) && bar->value >= 0;
}

bool has_whisker(const Bar& bar) {
  return bar.low && bar.high && std::isfinite(*bar.low) && std::isfinite(*bar.high);
}

double bars_width(std::size_t n_series) {
  return static_cast<double>(n_series) * (kBarWidth + kBarGap) - kBarGap;
}

/// Wide enough for its bars and for its name.
double group_width(const BarGroup& group, std::size_t n_series) {
  return std::max(bars_width(n_series), text_width(group.name, 12)) + kGroupGap;
}

double panel_width(const BarPanel& panel, std::size_t n_series) {
  double width = 0;
  for (const BarGroup& group : panel.groups) width += group_width(group, n_series);
  return kAxisWidth + std::max(width, text_width(panel.title, 12) - kAxisWidth + 8);
}

std::vector<double> values_of(const BarPanel& panel) {
  std::vector<double> values;
  for (const BarGroup& group : panel.groups) {
    for (const std::optional<Bar>& bar : group.bars) {
      if (!is_shown(bar)) continue;
      values.push_back(bar->value);
      if (has_whisker(*bar)) values.push_back(*bar->high);
    }
  }
  return values;
}

void draw_bar(SvgWriter& svg, const AxisMap& axis, const Bar& bar, double left, int series,
              const std::string& tooltip) {
  const double top = axis.pixel(bar.value);
  const double middle = left + kBarWidth / 2;
  double label_y = top - 6;
  svg.bar(left, top, kBarWidth, axis.pixel(0) - top, series, tooltip);
  if (has_whisker(bar)) {
    const double low = axis.pixel(std::max(0.0, *bar.low));
    const double high = axis.pixel(*bar.high);
    svg.line(middle, low, middle, high, "whisker");
    svg.line(middle - 5, low, middle + 5, low, "whisker");
    svg.line(middle - 5, high, middle + 5, high, "whisker");
    label_y = std::min(label_y, high - 6);
  }
  svg.text(middle, label_y, number_label(bar.value) + bar.mark, "small", Anchor::middle);
}

std::string tooltip_of(const BarChart& chart, const BarPanel& panel, const BarGroup& group,
                       std::size_t series, const Bar& bar) {
  std::string text = fmt::format("{}, {}: {} {}", chart.series[series], group.name, panel.title,
                                 number_label(bar.value));
  if (has_whisker(bar)) {
    text += fmt::format(" ({} to {})", number_label(*bar.low), number_label(*bar.high));
  }
  return text;
}

void draw_panel(SvgWriter& svg, const BarChart& chart, const BarPanel& panel, double x, double top,
                double width) {
  constexpr double kHeadroom = 22;  // for the number above the tallest bar
  const double bottom = top + kBarPlotHeight;
  const AxisMap axis(values_of(panel), Scale::linear, bottom, top + kHeadroom, true);
  svg.text(x, top - 2, panel.title, "text");
  const double left = x + kAxisWidth;
  for (const Tick& tick : axis.ticks()) {
    const double y = axis.pixel(tick.value);
    svg.line(left, y, x + width, y, "grid");
    svg.text(left - 8, y + 4, tick.label, "soft", Anchor::end);
  }
  double group_left = left;
  for (const BarGroup& group : panel.groups) {
    const double full = group_width(group, chart.series.size());
    const double first = group_left + (full - bars_width(chart.series.size())) / 2;
    for (std::size_t i = 0; i < std::min(group.bars.size(), chart.series.size()); ++i) {
      if (!is_shown(group.bars[i])) continue;
      draw_bar(svg, axis, *group.bars[i], first + static_cast<double>(i) * (kBarWidth + kBarGap),
               static_cast<int>(i), tooltip_of(chart, panel, group, i, *group.bars[i]));
    }
    svg.text(group_left + full / 2, bottom + 17, group.name, "soft", Anchor::middle);
    group_left += full;
  }
  svg.line(left, bottom, x + width, bottom, "axis");
}

std::vector<Look> looks_of(const BarChart& chart) {
  std::vector<Look> looks;
  for (const std::string& name : chart.series) {
    looks.push_back({.name = name, .colour = static_cast<int>(looks.size())});
  }
  return looks;
}

}  // namespace

std::string to_svg(const BarChart& chart) {
  const std::vector<Look> looks = looks_of(chart);
  double width = 2 * kMargin - kPanelGap;
  for (const BarPanel& panel : chart.panels) {
    width += panel_width(panel, chart.series.size()) + kPanelGap;
  }
  for (const double text : {text_width(chart.title, 16), text_width(chart.subtitle, 12),
                            text_width(chart.note, 11), 300.0}) {
    width = std::max(width, text + 2 * kMargin);
  }
  const double head = chart.subtitle.empty() ? 40 : 60;
  const double top = head + legend_height(looks, width - 2 * kMargin) + 20;
  const double height = top + kBarPlotHeight + (chart.note.empty() ? 34 : 56);
  SvgWriter svg(width, height, chart.title, chart.subtitle);
  svg.text(kMargin, 26, chart.title, "title");
  if (!chart.subtitle.empty()) svg.text(kMargin, 46, chart.subtitle, "soft");
  draw_legend(svg, looks, kMargin, head - 6, width - 2 * kMargin);
  double x = kMargin;
  for (const BarPanel& panel : chart.panels) {
    const double panel_pixels = panel_width(panel, chart.series.size());
    draw_panel(svg, chart, panel, x, top, panel_pixels);
    x += panel_pixels + kPanelGap;
  }
  if (!chart.note.empty()) svg.text(kMargin, height - 14, chart.note, "small");
  return svg.finish();
}

}  // namespace pleiad::chart
