#include "apps/run/model_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iostream>
#include <string_view>
#include <vector>

#include "apps/common/catalog.h"
#include "apps/common/output.h"
#include "apps/common/terminal.h"
#include "apps/common/usage_error.h"
#include "base/ascii.h"
#include "base/text_format.h"
#include "store/catalog.h"

namespace pleiad::apps {
namespace {

constexpr std::size_t kMostListed = 20;  // in an error; a terminal gets all
constexpr std::size_t kNameBytes = 400;

std::vector<store::ModelEntry> usable_models(const Environment& environment) {
  std::vector<store::ModelEntry> entries = store::Catalog(catalog_options(environment)).list();
  std::erase_if(entries, [](const store::ModelEntry& entry) { return !entry.problem.empty(); });
  return entries;
}

UsageError no_model_named(const std::vector<store::ModelEntry>& entries) {
  std::string text = "run: expected MODEL, found nothing; at hand are:";
  for (std::size_t i = 0; i < std::min(entries.size(), kMostListed); ++i) {
    text += "\n" + printable(entries[i].name, kNameBytes);
  }
  if (entries.size() > kMostListed) {
    text += fmt::format("\nand {} more; see `pleiad list`", entries.size() - kMostListed);
  }
  return UsageError("{}", text);
}

std::string numbered(const std::vector<store::ModelEntry>& entries) {
  std::size_t width = 0;
  for (const store::ModelEntry& entry : entries) {
    width = std::max(width, printable(entry.name, kNameBytes).size());
  }
  std::string text = "Which model?\n";
  for (std::size_t i = 0; i < entries.size(); ++i) {
    text += fmt::format("{:>4}  {:<{}}  {:>9}  {}\n", i + 1, printable(entries[i].name, kNameBytes),
                        width, format_bytes(entries[i].size_bytes), store::name(entries[i].source));
  }
  return text;
}

/// The entry that the answer names; null where it names none.
const store::ModelEntry* answered(const std::vector<store::ModelEntry>& entries,
                                  std::string_view answer) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(answer.data(), answer.data() + answer.size(), number);
  if (error == std::errc() && end == answer.data() + answer.size()) {
    return number >= 1 && number <= entries.size() ? &entries[number - 1] : nullptr;
  }
  for (const store::ModelEntry& entry : entries) {
    if (entry.name == answer || entry.name == std::string(answer) + ":latest") return &entry;
  }
  return nullptr;
}

}  // namespace

std::optional<std::string> choose_model(const Environment& environment) {
  const std::vector<store::ModelEntry> entries = usable_models(environment);
  if (entries.empty()) {
    throw UsageError("run: expected MODEL, found nothing, and there is no model at hand");
  }
  if (!is_terminal(stdin) || !is_terminal(stdout)) throw no_model_named(entries);
  print(numbered(entries));
  for (;;) {
    print(fmt::format("1 to {}, or a name (nothing: leave): ", entries.size()));
    std::string answer;
    if (!std::getline(std::cin, answer)) {
      print("\n");
      return std::nullopt;
    }
    answer = std::string(ascii_trimmed(answer));
    if (answer.empty()) return std::nullopt;
    if (const store::ModelEntry* entry = answered(entries, answer)) return entry->name;
    print(fmt::format("There is no '{}' among them.\n", printable(answer)));
  }
}

}  // namespace pleiad::apps
