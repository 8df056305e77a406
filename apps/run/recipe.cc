#include "apps/run/recipe.h"

#include <algorithm>

#include "apps/run/parameters.h"
#include "base/error.h"

namespace pleiad::apps {
namespace {

/// As set_parameter takes it, which knows fewer ways to say "none" and "no limit".
std::string parameter_text(const std::string& name, const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  const bool negative = value.get<double>() < 0;
  if (name == "seed" && negative) return "none";
  if (name == "num_predict" && negative) return "-1";
  return to_text(value);
}

}  // namespace

std::string recipe_system(const store::Recipe& recipe) {
  std::string system = recipe.system;
  for (const Json& message : recipe.messages) {
    if (message.at("role") != "system") continue;
    if (!system.empty()) system += "\n\n";
    system += message.at("content").get_ref<const std::string&>();
  }
  return system;
}

void apply_recipe(ChatState& state, const store::Recipe& recipe, std::size_t vocab_size,
                  bool conversation) {
  if (conversation) {
    state.system = recipe_system(recipe);
    for (const Json& message : recipe.messages) {
      if (message.at("role") != "system") state.messages.push_back(message);
    }
  }
  const std::set<std::string> chosen = state.chosen;  // by the user: what a model brings is not
  for (const auto& [name, value] : recipe.parameters) {
    if (name == "num_ctx") continue;  // of the session
    if (name == "stop" && value == "none") {
      state.stop.emplace_back("none");  // here it is a text
      continue;
    }
    const auto set = set_parameter(state, name, parameter_text(name, value), vocab_size);
    if (!set) throw Error("the model's {}", set.message());
  }
  state.chosen = chosen;
}

std::int64_t recipe_context_length(const store::Recipe& recipe, std::int64_t supported) {
  for (const auto& [name, value] : recipe.parameters) {
    if (name == "num_ctx") return std::min(value.get<std::int64_t>(), supported);
  }
  return 0;
}

}  // namespace pleiad::apps
