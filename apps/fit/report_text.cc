// The answer as people read it: the machine, a table by member and type, one to take.

#include <fmt/format.h>

#include <algorithm>

#include "apps/fit/report.h"
#include "base/measurement_text.h"
#include "base/text_format.h"
#include "base/text_table.h"
#include "fit/published.h"

namespace pleiad::apps {
namespace {

using TableRow = std::vector<std::string>;

std::string rate_text(const fit::Rate& rate) {
  const double error = (rate.high - rate.low) / 2;
  const int digits = rate.value >= 20 ? 0 : 1;
  return fmt::format("{:.{}f} ±{:.{}f}", rate.value, digits, error, digits);
}

std::string machine_line(const FitReport& report) {
  const fit::Machine& machine = report.machine;
  std::string line = fmt::format("{}: {} for a program, reads {} GB/s", machine.name,
                                 format_bytes(machine.memory_bytes),
                                 short_number(machine.read_bytes_per_second / 1e9));
  if (machine.operations_per_second) {
    line +=
        fmt::format(", multiplies {} TFLOP/s", short_number(*machine.operations_per_second / 1e12));
  }
  if (!report.instructions.empty()) line += fmt::format(" ({})", report.instructions);
  if (report.threads > 0) {
    line += fmt::format(" with {} thread{}", report.threads, report.threads == 1 ? "" : "s");
  }
  return line;
}

std::string verdict_text(const fit::Judgement& judgement) {
  std::string text(fit::name(judgement.verdict));
  return judgement.reason.empty() ? text : fmt::format("{}: {}", text, judgement.reason);
}

TableRow row_of(const fit::Answer& answer) {
  const bool fits = answer.judgement.verdict != fit::Verdict::does_not_fit;
  const auto rate = [&](const fit::Rate& value) { return fits ? rate_text(value) : "-"; };
  return {std::string(answer.member->name),
          std::string(convert::name(answer.type)),
          format_bytes(answer.file_bytes),
          format_bytes(answer.memory_bytes),
          answer.prefill ? rate(*answer.prefill)
          : fits         ? "unknown"
                         : "-",
          rate(answer.decode),
          rate(answer.decode_at_context),
          verdict_text(answer.judgement)};
}

std::string seconds_text(const std::optional<fit::Rate>& seconds) {
  if (!seconds) return "unknown";
  const double error = (seconds->high - seconds->low) / 2;
  return fmt::format("{} ±{}", short_number(seconds->value), short_number(error));
}

std::int64_t tokens_of(const fit::VisionAnswer& answer) { return answer.budget; }
std::int64_t tokens_of(const fit::AudioAnswer& answer) { return answer.tokens; }

/// What a tower adds, which a model has in every type.
template <typename Answers>
std::string tower_table(const Answers& answers) {
  TextTable table({{"model"},
                   {"tower file", true},
                   {"memory", true},
                   {"tokens", true},
                   {"operations", true},
                   {"seconds", true}});
  for (const auto& answer : answers) {
    table.add({std::string(answer.member->name), format_bytes(answer.file_bytes),
               format_bytes(answer.memory_bytes), fmt::format("{}", tokens_of(answer)),
               fmt::format("{} TFLOP", short_number(answer.operations / 1e12)),
               seconds_text(answer.seconds)});
  }
  return table.text();
}

std::string towers_text(const FitReport& report) {
  std::string text;
  if (!report.vision.empty()) {
    text +=
        "Pictures: what the vision tower adds once one is shown, and a picture of the default "
        "size\n\n" +
        tower_table(report.vision) + "\n";
  }
  if (!report.audio.empty()) {
    text += "Sound: what the audio tower adds once one is played, and 30 seconds of it\n\n" +
            tower_table(report.audio) + "\n";
  }
  return text;
}

std::string recommendation(const FitReport& report) {
  if (!report.recommended) return "None of these fits into the memory of this machine.\n";
  const fit::Answer& answer = report.answers[*report.recommended];
  return fmt::format("To take: {} as {}, {} tokens/s, {} of memory.\n", answer.member->name,
                     convert::name(answer.type), rate_text(answer.decode),
                     format_bytes(answer.memory_bytes));
}

}  // namespace

std::string fit_as_text(const FitReport& report) {
  const fit::Question& question = report.question;
  const std::string context = format_count(static_cast<std::uint64_t>(question.context));
  std::string text = machine_line(report) + "\n";
  text += fmt::format("A conversation of {} tokens, keys and values in {}; rates in tokens/s\n\n",
                      context, name(question.kv_type));
  const std::vector<TextTable::Column> columns = {
      {"model"},        {"type"},         {"file", true},          {"memory", true},
      {"prompt", true}, {"answer", true}, {"at " + context, true}, {"verdict"}};
  TextTable table(columns);
  for (const fit::Answer& answer : report.answers) {
    const bool begins =
        &answer != &report.answers.front() && answer.member != (&answer - 1)->member;
    if (begins) table.add(TableRow(columns.size()));  // an empty line
    table.add(row_of(answer));
  }
  return text + table.text() + "\n" + towers_text(report) + recommendation(report);
}

std::string published_as_text(const fit::Question& question) {
  TextTable table({{"model"},
                   {"stored as"},
                   {"engine"},
                   {"hardware"},
                   {"GB/s", true},
                   {"prompt", true},
                   {"answer", true},
                   {"fit says", true},
                   {"source"}});
  for (const fit::PublishedRate& rate : fit::published_rates()) {
    const auto* member = gemma4::find_member(rate.member);
    if (std::ranges::find(question.members, member) == question.members.end()) continue;
    const auto number = [](const std::optional<double>& value) {
      return value ? short_number(*value) : std::string("-");
    };
    const auto predicted = fit::predict_published(rate);
    std::string source(rate.source);
    if (!rate.note.empty()) source += fmt::format(" ({})", rate.note);
    table.add({std::string(member->name), std::string(rate.stored), std::string(rate.engine),
               std::string(rate.hardware), number(rate.bandwidth_gb_s), number(rate.prefill),
               number(rate.decode), predicted ? rate_text(*predicted) : "-", source});
  }
  return "Public measurements, in tokens/s, and what fit predicts for Pleiad's loops at that "
         "bandwidth (the makers' peak)\n\n" +
         table.text();
}

}  // namespace pleiad::apps
