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
  request.stop = stop;
  request.format = format;
  for (const AttachedPicture& picture : pictures) {
    ShownMedia& shown = request.media.emplace_back();
    shown.parts.push_back(
        {.before = {}, .n = picture.n_soft_tokens, .picture = picture.input, .sound = nullptr});
  }
  return request;
}

void ChatState::ask(const std::string& text) {
  if (waiting.empty()) {
    messages.push_back({{"role", "user"}, {"content", text}});
    return;
  }
  Json parts = Json::array();
  for (AttachedPicture& picture : waiting) {
    parts.push_back({{"type", "image"}, {"media", pictures.size()}});
    pictures.push_back(std::move(picture));
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
