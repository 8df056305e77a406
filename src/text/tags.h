#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace pleiad::text {

/// Control tokens that Gemma 4 knows. `<|x>` opens, `<x|>` closes, `<|x|>` stands
/// for something (a string quote, an image).
enum class Tag : std::uint8_t {
  pad,
  eos,
  bos,
  unk,
  mask,
  tool_open,
  tool_close,
  tool_call_open,
  tool_call_close,
  tool_response_open,
  tool_response_close,
  quote,
  think,
  channel_open,
  channel_close,
  turn_open,
  turn_close,
  image_open,
  image_close,
  image,
  audio_open,
  audio_close,
  audio,
  video,
};

inline constexpr std::array<std::string_view, 24> kTagTexts = {
    "<pad>",
    "<eos>",
    "<bos>",
    "<unk>",
    "<mask>",
    "<|tool>",
    "<tool|>",
    "<|tool_call>",
    "<tool_call|>",
    "<|tool_response>",
    "<tool_response|>",
    "<|\"|>",
    "<|think|>",
    "<|channel>",
    "<channel|>",
    "<|turn>",
    "<turn|>",
    "<|image>",
    "<image|>",
    "<|image|>",
    "<|audio>",
    "<audio|>",
    "<|audio|>",
    "<|video|>",
};
static_assert(kTagTexts.size() == static_cast<std::size_t>(Tag::video) + 1);

constexpr std::string_view tag_text(Tag tag) { return kTagTexts[static_cast<std::size_t>(tag)]; }

/// Opens the thought channel: what follows Tag::channel_open in a reply's thought.
inline constexpr std::string_view kThoughtLabel = "thought\n";

constexpr std::optional<Tag> find_tag(std::string_view text) {
  if (text.size() < 5 || text.front() != '<') return std::nullopt;
  for (std::size_t i = 0; i < kTagTexts.size(); ++i) {
    if (kTagTexts[i] == text) return static_cast<Tag>(i);
  }
  return std::nullopt;
}

}  // namespace pleiad::text
