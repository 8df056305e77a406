#include "apps/usage/program_text.h"

#include <algorithm>

namespace pleiad::apps {

namespace {

std::string with_dashes(std::string name) {
  if (name.starts_with("--")) std::ranges::replace(name, '_', '-');
  return name;
}

}  // namespace

const CommandText* ProgramText::find(const std::string& command) const {
  for (const CommandText& candidate : commands) {
    if (candidate.name == command) return &candidate;
    if (std::ranges::find(candidate.aliases, command) != candidate.aliases.end()) return &candidate;
  }
  return nullptr;
}

const OptionText* find_option(const std::vector<OptionText>& options, const std::string& name) {
  const std::string dashed = with_dashes(name);
  for (const OptionText& option : options) {
    if (std::ranges::find(option.names, dashed) != option.names.end()) return &option;
  }
  return nullptr;
}

std::string known_name(const OptionText& option, const std::string& name) {
  const std::string dashed = with_dashes(name);
  const auto found = std::ranges::find(option.names, dashed);
  return found == option.names.end() ? option.names.front() : *found;
}

}  // namespace pleiad::apps
