#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pleiad::apps {

/// A setting of the server: how it is called everywhere, and what it is if nobody
/// says anything.
struct SettingDefinition {
  std::string_view name;           // "keep-alive"; the flag is "--keep-alive"
  std::string_view variable;       // "KEEP_ALIVE": PLEIAD_KEEP_ALIVE; empty: flag only
  bool ollama = false;             // OLLAMA_<variable> is honoured too, after PLEIAD_
  std::string_view default_value;  // as one would type it
  std::string_view type_name;      // for --help; empty: a flag without a value
  std::string_view about;
  std::string_view synonyms = {};  // further flags, with commas: "-c,--ctx-size"
};

/// All of them, in the order of --help and --print-config.
std::span<const SettingDefinition> setting_definitions();

/// A value and who said so: "--keep-alive", "OLLAMA_KEEP_ALIVE", "default".
struct SettingValue {
  std::string text;
  std::string origin;
};

/// Throws "ORIGIN: WHY": as UsageError where a flag says it, as Error where a variable does.
[[noreturn]] void refuse_setting(const std::string& origin, const std::string& why);

/// The value of every setting by its name. Flags come first, then PLEIAD_*, then
/// OLLAMA_*; an empty variable counts as unset.
std::map<std::string, SettingValue, std::less<>> resolve_settings(
    const std::map<std::string, std::string, std::less<>>& flags,
    const std::map<std::string, std::string, std::less<>>& variables);

/// Variables of Ollama's that are set and mean nothing here, for a warning.
std::vector<std::string> unused_variables(
    const std::map<std::string, std::string, std::less<>>& variables);

}  // namespace pleiad::apps
