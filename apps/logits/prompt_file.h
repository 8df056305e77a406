#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/media/prompt_media.h"
#include "model/checkpoint.h"
#include "text/chat_input.h"

namespace pleiad::apps {

/// A picture of a prompt file.
struct PromptFilePicture {
  std::filesystem::path path;
  std::string budget;  // as --image-budget; empty: the model's own
  std::string field;   // "messages[0].content[1]"
};

/// A conversation in a file: {"messages": [...]} and what else text::parse_chat_input() reads, with
/// pictures as parts {"type": "image", "image": "note.jpg"}, paths relative to the file. A part may
/// have a "budget", a number of tokens or "auto".
struct PromptFile {
  text::ChatInput chat;
  std::vector<PromptFilePicture> pictures;  // as ContentPart::media counts them
};

/// `json`: what stands in a file of that name. A Failure names the field.
Result<PromptFile> parse_prompt_file(std::string_view json, const std::filesystem::path& file);

/// What a model is given of it.
struct PromptFileTokens {
  std::vector<text::TokenId> tokens;
  std::vector<PromptMedia> media;
};

/// Encodes the conversation and prepares its pictures, each in a process of its own. Throws Error:
/// the file cannot be read, the model sees no pictures, a picture is none.
PromptFileTokens read_prompt_file(const std::filesystem::path& file, const Checkpoint& checkpoint);

}  // namespace pleiad::apps
