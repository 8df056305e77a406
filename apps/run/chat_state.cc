#include "apps/run/chat_state.h"

#include <utility>

namespace pleiad::apps {

ChatRequest ChatState::request() const {
  ChatRequest request;
  if (!system.empty()) request.messages.push_back({{"role", "system"}, {"content", system}});
  for (const Json& message : messages) request.messages.push_back(message);
  request.tools = tools;
  request.think = think;
  request.generation = generation;
  request.limits = limits;
  request.stop = stop;
  request.format = format;
  for (const AttachedMedia& one : media) request.media.push_back(one.shown);
  return request;
}

void ChatState::ask(const std::string& text) {
  if (waiting.empty()) {
    messages.push_back({{"role", "user"}, {"content", text}});
    return;
  }
  Json parts = Json::array();
  for (AttachedMedia& one : waiting) {
    parts.push_back({{"type", part_type(one.kind)}, {"media", media.size()}});
    media.push_back(std::move(one));
  }
  waiting.clear();
  if (!text.empty()) parts.push_back({{"type", "text"}, {"text", text}});
  messages.push_back({{"role", "user"}, {"content", std::move(parts)}});
}

bool ChatState::drop_reply() {
  std::size_t end = messages.size();
  while (end > 0 && messages[end - 1].value("role", "") != "user") --end;
  if (end == 0) return false;
  while (messages.size() > end) messages.erase(messages.size() - 1);
  return true;
}

}  // namespace pleiad::apps
