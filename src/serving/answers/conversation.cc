#include "serving/answers/conversation.h"

#include "base/json.h"
#include "serving/request_error.h"

namespace pleiad::serving {
namespace {

std::string_view role_of(const Json& message) {
  if (!message.is_object()) return {};
  const auto role = message.find("role");
  if (role == message.end() || !role->is_string()) return {};
  return role->get_ref<const std::string&>();
}

bool is_system(const Json& message) {
  const std::string_view role = role_of(message);
  return role == "system" || role == "developer";
}

std::size_t count_system(const Json& messages) {
  std::size_t n = 0;
  while (n < messages.size() && is_system(messages[n])) ++n;
  return n;
}

}  // namespace

Json conversation(const AnswerRequest& request, const store::Recipe& recipe) {
  if (!request.messages.is_array()) throw bad_field("messages: expected a list");
  if (request.messages.empty()) {
    throw bad_field("messages: expected at least one message, found none");
  }
  if (!request.use_model_messages || is_system(request.messages[0])) return request.messages;
  Json messages = Json::array();
  if (!recipe.system.empty()) {
    messages.push_back({{"role", "system"}, {"content", recipe.system}});
  }
  for (const Json& message : recipe.messages) messages.push_back(message);
  for (const Json& message : request.messages) messages.push_back(message);
  return messages;
}

std::vector<std::size_t> cuts_of(const Json& messages) {
  const std::size_t first = count_system(messages);
  std::size_t last_user = messages.size();
  while (last_user > first && role_of(messages[last_user - 1]) != "user") --last_user;
  std::vector<std::size_t> cuts;
  for (std::size_t kept = first + 1; kept < last_user; ++kept) {
    if (role_of(messages[kept]) != "tool") cuts.push_back(kept - first);
  }
  return cuts;
}

Json without_oldest(const Json& messages, std::size_t n) {
  const std::size_t first = count_system(messages);
  Json kept = Json::array();
  for (std::size_t i = 0; i < messages.size(); ++i) {
    if (i < first || i >= first + n) kept.push_back(messages[i]);
  }
  return kept;
}

}  // namespace pleiad::serving
