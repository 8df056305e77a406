#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/measurement_text.h"
#include "server_bench/report.h"

namespace pleiad::server_bench {
namespace {

std::string header() {
  std::string text =
      "program,server,address,seed,model,load_s,context_length,prompt_tokens,"
      "generated_tokens,parallel,runs";
  for (const Figure figure : kFigures) {
    const std::string unit = figure == Figure::first_token ? "s" : "tok_s";
    for (const char* what : {"median", "min", "max"}) {
      text += fmt::format(",{}_{}_{}", name(figure), unit, what);
    }
  }
  return text + ",total_tok_s,marks,spoiled\n";
}

std::string number(double value) { return fmt::format("{:.6g}", value); }

/// "generation:hidden_tokens+clocks_differ": why a field is empty.
std::vector<std::string> spoiled_figures(const Row& row) {
  std::vector<std::string> found;
  const auto add = [&](Figure figure) {
    const Summary summary = summarize(row, figure);
    if (!summary.spoiled) return;
    found.push_back(fmt::format("{}:{}", name(figure), fmt::join(summary.reasons, "+")));
  };
  for (const Figure figure : kFigures) add(figure);
  add(Figure::total);
  return found;
}

std::string line(const ServerReport& report, const ModelResult& model, const Row& row) {
  std::vector<std::string> fields = {
      csv_field(report.program),
      csv_field(report.server.name),
      csv_field(report.address),
      std::to_string(report.seed),
      csv_field(model.model),
      model.load_seconds ? number(*model.load_seconds) : "",
      model.context_length ? std::to_string(*model.context_length) : "",
      std::to_string(row.shape.prompt_tokens),
      std::to_string(row.shape.generated_tokens),
      std::to_string(row.n_parallel),
      std::to_string(row.runs.size())};
  for (const Figure figure : kFigures) {
    const auto spread = summarize(row, figure).spread;
    fields.push_back(spread ? number(spread->median) : "");
    fields.push_back(spread ? number(spread->min) : "");
    fields.push_back(spread ? number(spread->max) : "");
  }
  const auto total = summarize(row, Figure::total).spread;
  fields.push_back(total ? number(total->median) : "");
  fields.push_back(fmt::format("{}", fmt::join(codes(row), " ")));
  fields.push_back(fmt::format("{}", fmt::join(spoiled_figures(row), " ")));
  return fmt::format("{}\n", fmt::join(fields, ","));
}

}  // namespace

std::string report_as_csv(const ServerReport& report) {
  std::string text = header();
  for (const ModelResult& model : report.models) {
    for (const Row& row : model.rows) text += line(report, model, row);
  }
  return text;
}

}  // namespace pleiad::server_bench
