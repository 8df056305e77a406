// The report as people read it.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/measurement_text.h"
#include "base/text_format.h"
#include "base/text_table.h"
#include "server_bench/report.h"

namespace pleiad::server_bench {
namespace {

/// A path is known by its end.
std::string short_name(const ModelResult& model) {
  const bool is_path = model.model.starts_with('/') || model.model.starts_with('.');
  const std::size_t slash = is_path ? model.model.rfind('/') + 1 : 0;
  return printable(std::string_view(model.model).substr(slash), 60);
}

std::string model_line(const ModelResult& model) {
  std::string line = printable(model.model, 200) + ": ";
  if (model.rows.empty()) return line + "not measured";
  if (model.load_seconds) {
    line += fmt::format("loaded in {}", format_seconds(*model.load_seconds));
    if (!model.unloaded.empty()) {
      line += fmt::format(" ({} unloaded before)", model.unloaded.size());
    }
  } else {
    line += fmt::format("first answer after {} (this API neither loads nor unloads)",
                        format_seconds(model.first_answer_seconds));
  }
  if (model.context_length) {
    line += fmt::format("; context {}",
                        format_count(static_cast<std::uint64_t>(*model.context_length)));
  }
  line += "; thinking off; length " + name(model.length);
  line += model.counted ? fmt::format("; prompts of equal length, {} tokens of them the template",
                                      model.overhead)
                        : "; prompts are not counted by the server";
  return line;
}

std::vector<std::string> conditions(const ServerReport& report) {
  std::vector<std::string> lines = {fmt::format("{} at {}; measured by {}; seed {}",
                                                report.server.name, report.address, report.program,
                                                report.seed)};
  for (const ModelResult& model : report.models) lines.push_back(model_line(model));
  bool clocks = false;
  for (const ModelResult& model : report.models) {
    for (const Row& row : model.rows) {
      for (const Run& run : row.runs) clocks = clocks || run.machine.megahertz;
    }
  }
  if (!report.local) {
    lines.emplace_back("The server runs elsewhere: its clocks and heat were not read.");
  } else if (!clocks) {
    lines.emplace_back("This machine does not tell its clocks; a GPU's were not read.");
  }
  if (report.interrupted) lines.emplace_back("Interrupted: not every shape was run.");
  return lines;
}

std::string cell(const Row& row, Figure figure, double scale) {
  const Summary summary = summarize(row, figure);
  if (summary.spoiled) return fmt::format("- ({})", fmt::join(summary.reasons, ", "));
  if (!summary.spread) return "-";
  const Spread& spread = *summary.spread;
  std::string text = short_number(spread.median * scale);
  if (summary.n_used > 1) {
    text += fmt::format(" ({}..{})", short_number(spread.min * scale),
                        short_number(spread.max * scale));
  }
  return text;
}

/// Rows of the same shape under each other, a model after the other.
std::vector<std::pair<const ModelResult*, const Row*>> in_order(const ServerReport& report) {
  std::vector<std::pair<const ModelResult*, const Row*>> rows;
  std::size_t most = 0;
  for (const ModelResult& model : report.models) most = std::max(most, model.rows.size());
  for (std::size_t i = 0; i < most; ++i) {
    for (const ModelResult& model : report.models) {
      if (i < model.rows.size()) rows.emplace_back(&model, &model.rows[i]);
    }
  }
  return rows;
}

std::string row_name(const Row& row) {
  return row.n_parallel > 1 ? fmt::format("{} x{}", row.shape.name(), row.n_parallel)
                            : row.shape.name();
}

TextTable table_of(const ServerReport& report) {
  TextTable table({{"model"},
                   {"tokens"},
                   {"generation tok/s", true},
                   {"our clock", true},
                   {"in sum", true},
                   {"prefill tok/s", true},
                   {"our clock", true},
                   {"first token ms", true},
                   {"marks"}});
  for (const auto& [model, row] : in_order(report)) {
    table.add({short_name(*model), row_name(*row), cell(*row, Figure::generation, 1),
               cell(*row, Figure::client_generation, 1),
               row->n_parallel > 1 ? cell(*row, Figure::total, 1) : "",
               cell(*row, Figure::prefill, 1), cell(*row, Figure::client_prefill, 1),
               cell(*row, Figure::first_token, 1000),
               fmt::format("{}", fmt::join(codes(*row), " "))});
  }
  return table;
}

/// One line for what several runs have in the same words.
void add_marks(const ModelResult& model, const Row& row, std::vector<std::string>& lines) {
  const std::string where = fmt::format("{}, {}", short_name(model), row_name(row));
  for (const Mark& mark : row.marks) {
    lines.push_back(fmt::format("{}: {}: {}", mark.code, where, mark.text));
  }
  std::vector<std::pair<const Mark*, std::vector<std::size_t>>>
      found;  // with the runs that have it
  for (std::size_t i = 0; i < row.runs.size(); ++i) {
    for (const Mark& mark : row.runs[i].marks) {
      const auto same = std::find_if(found.begin(), found.end(), [&](const auto& other) {
        return other.first->code == mark.code && other.first->text == mark.text;
      });
      if (same == found.end()) {
        found.push_back({&mark, {i + 1}});
      } else {
        same->second.push_back(i + 1);
      }
    }
  }
  for (const auto& [mark, runs] : found) {
    lines.push_back(
        fmt::format("{}: {}, run {}: {}", mark->code, where, fmt::join(runs, ", "), mark->text));
  }
}

std::vector<std::string> mark_lines(const ServerReport& report) {
  constexpr std::size_t kMost = 40;  // the rest is in the JSON
  std::vector<std::string> lines;
  for (const auto& [model, row] : in_order(report)) add_marks(*model, *row, lines);
  if (lines.size() > kMost) {
    const std::size_t left = lines.size() - kMost;
    lines.resize(kMost);
    lines.push_back(fmt::format("and {} more (--json has all)", left));
  }
  for (const ModelResult& model : report.models) {
    if (!model.failure.empty()) {
      lines.push_back(fmt::format("{} was not finished: {}", short_name(model), model.failure));
    }
  }
  return lines;
}

}  // namespace

std::string report_as_text(const ServerReport& report, bool markdown) {
  const auto as_line = [markdown](const std::string& line) {
    return fmt::format("{}{}\n", markdown ? "- " : "", printable(line, std::string::npos));
  };
  std::string text;
  for (const std::string& line : conditions(report)) text += as_line(line);
  const TextTable table = table_of(report);
  text += "\n" + (markdown ? table.markdown() : table.text());
  const std::vector<std::string> marks = mark_lines(report);
  if (!marks.empty()) text += "\n";
  for (const std::string& line : marks) text += as_line(line);
  return text;
}

}  // namespace pleiad::server_bench
