#include "apps/models/list.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text_format.h"

namespace pleiad::apps {
namespace {

constexpr std::size_t kShortId = 12;
constexpr std::size_t kMaxText = 400;

using Row = std::array<std::string, 5>;

std::string table(const std::vector<Row>& rows) {
  std::array<std::size_t, 5> widths = {};
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const Row& row : rows) {
    for (std::size_t i = 0; i + 1 < row.size(); ++i) {
      text += fmt::format("{:<{}}    ", row[i], widths[i]);
    }
    text += row.back() + "\n";
  }
  return text;
}

}  // namespace

std::string age_text(std::time_t then, std::time_t now) {
  struct Unit {
    const char* name;
    std::time_t seconds;
  };
  constexpr std::array units = {Unit{"year", 365 * 86400}, Unit{"month", 30 * 86400},
                                Unit{"week", 7 * 86400},   Unit{"day", 86400},
                                Unit{"hour", 3600},        Unit{"minute", 60}};
  const std::time_t age = now - then;
  for (const Unit& unit : units) {
    if (age < unit.seconds) continue;
    const std::time_t count = age / unit.seconds;
    return fmt::format("{} {}{} ago", count, unit.name, count == 1 ? "" : "s");
  }
  return "just now";
}

std::string list_text(const std::vector<store::ModelEntry>& entries, std::time_t now, bool all) {
  std::vector<Row> rows = {{"NAME", "ID", "SIZE", "MODIFIED", "SOURCE"}};
  std::string unusable;
  std::size_t n_unusable = 0;
  for (const store::ModelEntry& entry : entries) {
    const std::string name = printable(entry.name, kMaxText);
    if (entry.problem.empty()) {
      rows.push_back({name, printable(entry.digest.substr(0, kShortId)),
                      format_bytes(entry.size_bytes), age_text(entry.modified, now),
                      std::string(store::name(entry.source))});
    } else {
      ++n_unusable;
      unusable += fmt::format("  {} ({}): {}\n", name, store::name(entry.source),
                              printable(entry.problem, kMaxText));
    }
  }
  std::string text = table(rows);
  if (n_unusable == 0) return text;
  if (all) return fmt::format("{}\nThese cannot be used:\n{}", text, unusable);
  return fmt::format("{}\n{} more cannot be used; `pleiad list --all` says why.\n", text,
                     n_unusable);
}

}  // namespace pleiad::apps
