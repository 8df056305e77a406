#include "apps/verify/report.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"
#include "base/text_format.h"

namespace pleiad::apps {
namespace {

using verify::Finding;

constexpr std::size_t kMaxFinding = 2'000;
constexpr std::size_t kMaxTensorName = 120;

/// "row 3, column 5"
std::string place_text(const verify::Place& place) {
  if (place.row < 0) return "";
  if (place.col < 0) return fmt::format("row {}", place.row);
  return fmt::format("row {}, column {}", place.row, place.col);
}

std::string findings_text(const std::vector<Finding>& findings) {
  std::size_t name_width = 6;
  for (const Finding& finding : findings) {
    name_width = std::max(name_width, printable(finding.tensor, kMaxTensorName).size());
  }
  std::string text;
  for (const Finding& finding : findings) {
    if (finding.tensor.empty()) {
      text +=
          fmt::format("{:<10}  {}\n", name(finding.severity), printable(finding.text, kMaxFinding));
      continue;
    }
    const std::string place = place_text(finding.first);
    text += fmt::format("{:<10}  {:<{}}  {}{}{}\n", name(finding.severity),
                        printable(finding.tensor, kMaxTensorName), name_width,
                        printable(finding.text, kMaxFinding),
                        place.empty()       ? ""
                        : finding.count > 1 ? ", the first at "
                                            : ", at ",
                        place);
  }
  return text;
}

std::string reference_text(const ReferenceResult& result) {
  const verify::LogitComparison& found = result.comparison;
  std::string text = fmt::format("\nbeside {} ({} rows, {})\n", printable(result.file, kMaxFinding),
                                 found.n_rows, result.backend);
  if (found.n_not_finite > 0) {
    text += fmt::format("  {} rows have logits that are not finite\n", found.n_not_finite);
  }
  text += fmt::format("  largest difference  {:.6g}", found.largest_difference);
  if (found.largest_row >= 0) {
    text += fmt::format(" at row {}, token {}", found.largest_row, found.largest_token);
  }
  text += fmt::format("\n  KL divergence       {:.3g} on average, {:.3g} at worst", found.mean_kl,
                      found.worst_kl);
  if (found.worst_kl_row >= 0) text += fmt::format(" (row {})", found.worst_kl_row);
  text += fmt::format("\n  same best token     {} of {}", found.n_same_best, found.n_rows);
  if (found.first_other_best >= 0) {
    text += fmt::format(", another first at row {}", found.first_other_best);
  }
  return text + fmt::format("\n  {}\n", result.good() ? "within the limits" : "beyond the limits");
}

Json number_or_null(std::int64_t value) { return value < 0 ? Json() : Json(value); }

Json reference_json(const ReferenceResult& result) {
  const verify::LogitComparison& found = result.comparison;
  return {{"file", printable(result.file, kMaxFinding)},
          {"backend", result.backend},
          {"rows", found.n_rows},
          {"largest_difference", found.largest_difference},
          {"largest_difference_row", number_or_null(found.largest_row)},
          {"largest_difference_token", number_or_null(found.largest_token)},
          {"mean_kl", found.mean_kl},
          {"worst_kl", found.worst_kl},
          {"worst_kl_row", number_or_null(found.worst_kl_row)},
          {"same_best", found.n_same_best},
          {"first_other_best_row", number_or_null(found.first_other_best)},
          {"rows_not_finite", found.n_not_finite},
          {"good", result.good()}};
}

}  // namespace

bool ReferenceResult::good() const {
  return comparison.n_not_finite == 0 && comparison.worst_kl <= max_kl &&
         comparison.largest_difference <= max_difference;
}

std::string verify_text(const verify::Report& report,
                        const std::optional<ReferenceResult>& reference) {
  const auto n_wrong = std::ranges::count_if(report.findings, [](const Finding& finding) {
    return finding.severity == verify::Severity::wrong;
  });
  std::string text = findings_text(report.findings);
  text += fmt::format("{}: {} tensors, {}: ", printable(report.path, kMaxFinding), report.n_tensors,
                      format_bytes(report.n_bytes));
  const auto n_other = static_cast<std::ptrdiff_t>(report.findings.size()) - n_wrong;
  if (report.findings.empty()) {
    text += "nothing wrong\n";
  } else {
    text += fmt::format("{} wrong, {} suspicious\n", n_wrong, n_other);
  }
  if (reference) text += reference_text(*reference);
  return text;
}

std::string verify_json(const verify::Report& report,
                        const std::optional<ReferenceResult>& reference) {
  Json findings = Json::array();
  for (const Finding& finding : report.findings) {
    findings.push_back({{"severity", name(finding.severity)},
                        {"kind", name(finding.kind)},
                        {"tensor", printable(finding.tensor, kMaxTensorName)},
                        {"name", finding.ours.empty() ? Json() : Json(finding.ours)},
                        {"count", finding.count},
                        {"row", number_or_null(finding.first.row)},
                        {"column", number_or_null(finding.first.col)},
                        {"text", finding.text}});
  }
  Json json = {{"path", printable(report.path, kMaxFinding)},
               {"projectors", report.projectors},
               {"tensors", report.n_tensors},
               {"bytes", report.n_bytes},
               {"good", report.good() && (!reference || reference->good())},
               {"findings", std::move(findings)}};
  if (reference) json["reference"] = reference_json(*reference);
  return to_text(json, 2) + "\n";
}

}  // namespace pleiad::apps
