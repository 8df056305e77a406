#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/media/media_prompt.h"
#include "model/checkpoint.h"
#include "text/chat_input.h"

namespace pleiad::apps {

/// A picture, a sound or a video of a prompt file.
struct PromptFileMedia {
  ShownMedia::Kind kind = ShownMedia::Kind::picture;
  std::vector<std::filesystem::path> paths;  // one, or a video's frames
  std::optional<double> fps;                 // of frames: paths are a list of these
  std::string budget;                        // as --image-budget; empty: the model's own
  std::optional<int> n_frames;               // of a video; empty: the model's own number
  bool with_sound = false;                   // of a video
  std::string field;                         // "messages[0].content[1]"
};

/// A conversation in a file: {"messages": [...]} and what else text::parse_chat_input() reads, with
/// media as parts, paths relative to the file:
///   {"type": "image", "image": "note.jpg", "budget": 560}   a number of tokens, or "auto"
///   {"type": "audio", "audio": "memo.mp3"}
///   {"type": "video", "video": "walk.mp4", "frames": 8, "budget": 70, "sound": true}
///   {"type": "video", "video": ["a.png", "b.png"], "fps": 2}
struct PromptFile {
  text::ChatInput chat;
  std::vector<PromptFileMedia> media;  // as ContentPart::media counts them
};

/// `json`: what stands in a file of that name. A Failure names the field.
Result<PromptFile> parse_prompt_file(std::string_view json, const std::filesystem::path& file);

/// What a model is given of it.
struct PromptFileTokens {
  std::vector<text::TokenId> tokens;
  std::vector<PromptMedia> media;
};

/// Encodes the conversation and prepares its media, each in a process of its own. Throws Error: the
/// file cannot be read, the model has no tower for them, one is none.
PromptFileTokens read_prompt_file(const std::filesystem::path& file, const Checkpoint& checkpoint);

}  // namespace pleiad::apps
