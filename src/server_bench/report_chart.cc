#include <fmt/format.h>

#include <algorithm>

#include "base/text_format.h"
#include "chart/bar_chart.h"
#include "server_bench/report.h"

namespace pleiad::server_bench {
namespace {

struct Drawn {
  Figure figure;
  Figure otherwise;  // where the server does not tell the first
  double scale;
  const char* title;
};
constexpr Drawn kPanels[] = {
    {Figure::generation, Figure::client_generation, 1, "Generation, tokens/s"},
    {Figure::prefill, Figure::client_prefill, 1, "Prompt, tokens/s"},
    {Figure::first_token, Figure::first_token, 1000, "First token, ms"}};

std::optional<chart::Bar> bar_of(const Row& row, const Drawn& drawn) {
  Summary summary = summarize(row, drawn.figure);
  if (!summary.spread && !summary.spoiled) summary = summarize(row, drawn.otherwise);
  if (!summary.spread) return std::nullopt;
  chart::Bar bar;
  bar.value = summary.spread->median * drawn.scale;
  bar.low = summary.spread->min * drawn.scale;
  bar.high = summary.spread->max * drawn.scale;
  if (!codes(row).empty()) bar.mark = "*";
  return bar;
}

/// The rows of the models that are of one kind: every model has them in the same order.
chart::BarGroup group_of(const ServerReport& report, std::size_t nth, const Drawn& drawn) {
  chart::BarGroup group;
  for (const ModelResult& model : report.models) {
    if (nth >= model.rows.size()) {
      group.bars.emplace_back();
      continue;
    }
    const Row& row = model.rows[nth];
    group.name = row.n_parallel > 1 ? fmt::format("{} x{}", row.shape.name(), row.n_parallel)
                                    : row.shape.name();
    group.bars.push_back(bar_of(row, drawn));
  }
  return group;
}

}  // namespace

std::string report_as_chart(const ServerReport& report) {
  chart::BarChart picture;
  picture.title = "Speed of " + report.server.name;
  picture.subtitle = "Medians with least and most; tokens of the prompt -> generated ones";
  picture.note = "* marked: see the report. What is spoiled is left out.";
  std::size_t n_rows = 0;
  for (const ModelResult& model : report.models) {
    picture.series.push_back(printable(model.model, 60));
    n_rows = std::max(n_rows, model.rows.size());
  }
  for (const Drawn& drawn : kPanels) {
    chart::BarPanel panel;
    panel.title = drawn.title;
    for (std::size_t i = 0; i < n_rows; ++i) panel.groups.push_back(group_of(report, i, drawn));
    picture.panels.push_back(std::move(panel));
  }
  return chart::to_svg(picture);
}

}  // namespace pleiad::server_bench
