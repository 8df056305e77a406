#pragma once

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <type_traits>

#include "base/ascii.h"
#include "base/text_format.h"

namespace pleiad::apps {

/// Takes an option's value by the name that it has in `choices`, in any case, and names them all in
/// --help, in the manual and where shells complete. `list`: several, with commas between them.
/// (CLI11's own transformer tells users the numbers behind the names.)
template <typename Value>
CLI::Option* choose_among(CLI::Option* option, const std::map<std::string, Value>& choices,
                          bool list = false) {
  static_assert(std::is_enum_v<Value>);
  std::string names;
  for (const auto& [name, value] : choices) names += (names.empty() ? "" : "|") + name;
  option->transform(CLI::Validator(
      [choices, names](std::string& text) -> std::string {
        const auto found = choices.find(ascii_lower(text));
        if (found == choices.end()) {
          return fmt::format("expected {}, found '{}'", names, printable(text));
        }
        text = std::to_string(static_cast<std::underlying_type_t<Value>>(found->second));
        return "";
      },
      ""));
  return option->option_text(names + (list ? ",..." : ""));
}

/// "a|b" of "a, b": what can be chosen, for type_name() where the command checks it itself.
inline std::string choice_names(const std::string& with_commas) {
  std::string names;
  for (const char c : with_commas) {
    if (c != ' ') names += c == ',' ? '|' : c;
  }
  return names;
}

}  // namespace pleiad::apps
