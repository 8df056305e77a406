#pragma once

#include <filesystem>
#include <string_view>

#include "apps/run/chat_state.h"

namespace pleiad::apps {

/// A path as typed: "~/x" is x in the home folder.
std::filesystem::path typed_path(std::string_view text, const std::filesystem::path& home);

/// The JSON of a file. Throws Error that names it.
Json read_json_file(const std::filesystem::path& path);

/// Writes the conversation (system turn, messages, tools, format) as JSON, its pictures among it
/// (pictures/saved_pictures.h). The file is whole or not there: a full disk leaves an older file as
/// it was. Throws Error.
void save_chat(const ChatState& state, const std::filesystem::path& path);

/// Reads what save_chat wrote; also a JSON object with "messages" of other
/// origin. Throws Error that names the file and the field; then `state` is as it
/// was.
void load_chat(ChatState& state, const std::filesystem::path& path);

/// A JSON list of tool declarations, or an object with "tools". Throws Error.
Json load_tools(const std::filesystem::path& path);

}  // namespace pleiad::apps
