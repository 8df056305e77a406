#include "apps/run/chat_file.h"

#include <span>
#include <string>

#include "apps/run/media/saved_media.h"
#include "apps/run/reply_format.h"
#include "base/error.h"
#include "base/mapped_file.h"
#include "base/output_file.h"
#include "text/chat_input.h"

namespace pleiad::apps {

namespace fs = std::filesystem;

namespace {

void check_chat(const Json& messages, const Json& tools, const fs::path& path) {
  const auto checked = text::parse_chat_input({{"messages", messages}, {"tools", tools}});
  if (!checked) throw Error("{}: {}", path.string(), checked.message());
}

Json read_media(const Json& messages, std::vector<AttachedMedia>& media, const fs::path& path) {
  try {
    return take_media(messages, media, path.parent_path());
  } catch (const Error& error) {
    throw Error("{}: {}", path.string(), error.what());
  }
}

MediaWishes read_wishes(const Json& content, const fs::path& path) {
  MediaWishes wishes;
  const Json tokens = content.value("image_tokens", Json());
  if (!tokens.is_null()) {
    const auto budget =
        read_picture_budget(tokens.is_string() ? tokens.get<std::string>() : to_text(tokens));
    if (!budget) throw Error("{}: image_tokens: {}", path.string(), budget.message());
    wishes.picture_budget = budget.value();
  }
  const Json frames = content.value("video_frames", Json());
  if (!frames.is_null()) {
    const auto n = frames.is_number_integer() ? frames.get<std::int64_t>() : 0;
    if (n < 1 || n > kMostFrames) {
      throw Error("{}: video_frames: expected 1 to {}", path.string(), kMostFrames);
    }
    wishes.n_frames = static_cast<int>(n);
  }
  const Json sound = content.value("video_sound", Json(false));
  if (!sound.is_boolean()) throw Error("{}: video_sound: expected true or false", path.string());
  wishes.video_sound = sound.get<bool>();
  return wishes;
}

}  // namespace

Json read_json_file(const fs::path& path) {
  const MappedFile file(path);
  const auto bytes = file.bytes();
  return parse_json({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path.string());
}

fs::path typed_path(std::string_view text, const fs::path& home) {
  if (!text.starts_with("~/") || home.empty()) return fs::path(text);
  return home / text.substr(2);
}

void save_chat(const ChatState& state, const fs::path& path) {
  Json content = {{"system", state.system},
                  {"messages", with_media(state.messages, state.media)},
                  {"tools", state.tools},
                  {"think", state.think},
                  {"format", state.format}};
  const MediaWishes& wishes = state.wishes;
  if (wishes.picture_budget.automatic) content["image_tokens"] = "auto";
  if (wishes.picture_budget.tokens) content["image_tokens"] = *wishes.picture_budget.tokens;
  if (wishes.n_frames) content["video_frames"] = *wishes.n_frames;
  if (wishes.video_sound) content["video_sound"] = true;
  // Replies may hold bytes that are no UTF-8; a conversation must be savable.
  const std::string text = to_text(content, 2) + "\n";
  OutputFile file(path, 0600);
  file.write(std::as_bytes(std::span(text)));
  file.finish();
}

void load_chat(ChatState& state, const fs::path& path) {
  const Json content = read_json_file(path);
  if (!content.is_object() || !content.contains("messages")) {
    throw Error("{}: expected a JSON object with \"messages\"", path.string());
  }
  std::vector<AttachedMedia> media;
  Json messages = read_media(content.at("messages"), media, path);
  Json tools = content.value("tools", Json::array());
  check_chat(messages, tools, path);
  const Json system = content.value("system", Json(""));
  const Json think = content.value("think", Json(false));
  if (!system.is_string()) throw Error("{}: system: expected a string", path.string());
  if (!think.is_boolean()) throw Error("{}: think: expected true or false", path.string());
  const Json format = content.value("format", Json());
  if (!is_reply_format(format)) {
    throw Error("{}: format: expected null, \"json\" or a JSON schema", path.string());
  }
  const MediaWishes wishes = read_wishes(content, path);
  std::string system_text = system.get<std::string>();
  // Of other origin: the system turn is the first message.
  if (system_text.empty() && !messages.empty() && messages[0].value("role", "") == "system" &&
      messages[0].contains("content") && messages[0]["content"].is_string()) {
    system_text = messages[0]["content"].get<std::string>();
    messages.erase(messages.begin());
  }
  state.system = std::move(system_text);
  state.system_is_set = true;
  state.messages = std::move(messages);
  state.media = std::move(media);
  state.waiting.clear();
  state.wishes = wishes;
  state.tools = std::move(tools);
  state.think = think.get<bool>();
  state.format = format;
}

Json load_tools(const fs::path& path) {
  Json tools = read_json_file(path);
  if (tools.is_object() && tools.contains("tools")) tools = Json(tools.at("tools"));
  if (!tools.is_array()) throw Error("{}: expected a JSON list of tools", path.string());
  check_chat(Json::array(), tools, path);
  return tools;
}

}  // namespace pleiad::apps
