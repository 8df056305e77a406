#include "store/recipe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.h"
#include "base/text_format.h"
#include "base/utf8.h"
#include "store/parameters.h"

namespace pleiad::store {
namespace {

constexpr std::size_t kMaxText = 1 << 20;  // bytes of a system prompt, a license, a message

std::string parameter_problem(std::string_view what, const std::string& text) {
  if (text.size() > kMaxText) {
    return fmt::format("{}: {} are too much; {} at most", what, format_bytes(text.size()),
                       format_bytes(kMaxText));
  }
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t length = utf8_length(rest);
    if (length == 0) return fmt::format("{}: is not valid UTF-8", what);
    rest.remove_prefix(length);
  }
  return {};
}

/// Empty when all is well.
std::string problem_of_message(const Json& message, std::size_t index) {
  const std::string where = fmt::format("messages[{}]", index);
  if (!message.is_object()) return fmt::format("{}: expected an object", where);
  const auto role = message.find("role");
  const bool known = role != message.end() && role->is_string() &&
                     (*role == "system" || *role == "user" || *role == "assistant");
  if (!known) return fmt::format("{}.role: expected system, user or assistant", where);
  const auto content = message.find("content");
  if (content == message.end() || !content->is_string()) {
    return fmt::format("{}.content: expected a text", where);
  }
  return parameter_problem(where + ".content", content->get_ref<const std::string&>());
}

}  // namespace

Recipe merge(const Recipe& base, const Recipe& over) {
  Recipe result = base;
  if (!over.system.empty()) result.system = over.system;
  if (!over.messages.empty()) result.messages = over.messages;
  std::erase_if(result.parameters, [&](const auto& old) {
    return std::ranges::any_of(over.parameters,
                               [&](const auto& added) { return added.first == old.first; });
  });
  result.parameters.insert(result.parameters.end(), over.parameters.begin(), over.parameters.end());
  for (const std::string& license : over.licenses) {
    if (std::ranges::find(result.licenses, license) == result.licenses.end()) {
      result.licenses.push_back(license);
    }
  }
  return result;
}

Json check_messages(const Json& messages, std::vector<std::string>& problems) {
  Json result = Json::array();
  if (!messages.is_array()) {
    problems.emplace_back("messages: expected a list");
    return result;
  }
  for (std::size_t i = 0; i < messages.size(); ++i) {
    std::string problem = problem_of_message(messages[i], i);
    if (problem.empty()) {
      result.push_back({{"role", messages[i]["role"]}, {"content", messages[i]["content"]}});
    } else {
      problems.push_back(std::move(problem));
    }
  }
  return result;
}

Recipe checked(Recipe recipe) {
  std::vector<std::string> problems;
  const auto check_text = [&](std::string_view what, const std::string& text) {
    std::string problem = parameter_problem(what, text);
    if (!problem.empty()) problems.push_back(std::move(problem));
  };
  check_text("system", recipe.system);
  for (const std::string& license : recipe.licenses) check_text("license", license);
  recipe.parameters = check_parameters(recipe.parameters, problems);
  for (const auto& [name, value] : recipe.parameters) {
    if (value.is_string()) check_text(name, value.get_ref<const std::string&>());
  }
  recipe.messages = check_messages(recipe.messages, problems);
  if (!problems.empty()) throw Error("{}", fmt::join(problems, "; "));
  return recipe;
}

}  // namespace pleiad::store
