#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/checkpoint.h"
#include "text/chat_input.h"
#include "text/encode_limit.h"
#include "text/token.h"

namespace pleiad {

/// What stands for a picture in a prompt, by the checkpoint's own numbers: `begin`, as many `soft`
/// as the tower gives vectors, `end`. Nothing stands between them and the text around.
struct MediaTokens {
  text::TokenId begin = -1;
  text::TokenId soft = -1;  // <|image|>: its embedding row is replaced
  text::TokenId end = -1;

  bool operator==(const MediaTokens&) const = default;
};

/// What prompts know of a model's vision tower.
struct VisionPrompt {
  std::string problem = "has no vision tower";  // follows the model's name; empty: it sees
  MediaTokens tokens;
  int default_budget = 0;  // soft tokens of a picture where nobody says how many
  int longest_side = 0;    // pixels of a side that the tower has positions for

  bool sees() const { return problem.empty(); }
};
VisionPrompt vision_prompt(const Checkpoint& checkpoint);

/// The soft tokens of one picture in a prompt.
struct MediaSpan {
  int media = 0;           // which of the request's media
  std::int64_t first = 0;  // position of the first soft token
  std::int64_t n = 0;      // soft tokens

  bool operator==(const MediaSpan&) const = default;
};

/// A prompt as the model is given it.
struct MediaPrompt {
  text::Encoding encoding;       // without kMediaToken; `media` is empty
  std::vector<MediaSpan> spans;  // ascending; one picture may stand in several places
};

/// What is wrong with the media of a chat, beginning with the field; empty where each is one of the
/// request's `n_media` pictures and stands where the template prints it. `field_of` (may be empty)
/// names a picture as whoever sent it does; else it is named by its place in the chat.
std::optional<std::string> chat_media_error(
    const text::ChatInput& chat, std::size_t n_media,
    const std::function<std::string(std::size_t media)>& field_of = {});

/// Puts the tokens of each picture in its place. `n_soft_tokens`: of every medium of the request;
/// the encoding names no other (a CHECK). A prompt that is not whole is expanded as far as it goes.
MediaPrompt expand_media(text::Encoding encoding, const MediaTokens& tokens,
                         std::span<const std::int64_t> n_soft_tokens);

/// In a prompt of a caller's own tokens, or a text that spells control tokens, each `soft` is where
/// the next picture stands: marks them as Prompt's would be, and returns how many there are. Those
/// beyond `n_media` stay as they are.
std::int64_t mark_spelled_media(text::Encoding& encoding, text::TokenId soft, std::int64_t n_media);

}  // namespace pleiad
