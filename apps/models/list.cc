#include "apps/models/list.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/json.h"
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

std::string list_names(const std::vector<store::ModelEntry>& entries) {
  std::string text;
  for (const store::ModelEntry& entry : entries) {
    const bool one_line = entry.name.find_first_of("\r\n") == entry.name.npos;
    if (entry.problem.empty() && one_line) text += entry.name + "\n";
  }
  return text;
}

std::string list_json(const std::vector<store::ModelEntry>& entries, bool all) {
  Json models = Json::array();
  for (const store::ModelEntry& entry : entries) {
    if (!entry.problem.empty() && !all) continue;
    Json model = {{"name", entry.name},
                  {"digest", entry.digest},
                  {"size", entry.size_bytes},
                  {"modified", static_cast<std::int64_t>(entry.modified)},
                  {"source", std::string(store::name(entry.source))},
                  {"path", entry.path.string()},
                  {"vision", entry.details && entry.details->vision}};
    const std::vector<std::filesystem::path> projectors = entry.projectors();
    if (!projectors.empty()) model["projector"] = projectors.front().string();
    for (const std::filesystem::path& projector : projectors) {
      model["projectors"].push_back(projector.string());
    }
    if (!entry.problem.empty()) model["problem"] = entry.problem;
    models.push_back(std::move(model));
  }
  return to_text({{"models", std::move(models)}}, 2) + "\n";
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
