#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/model.h"
#include "model/picture_input.h"
#include "model/sound_input.h"
#include "text/token.h"

namespace pleiad {

enum class MediaTower : std::uint8_t { vision, audio };

/// What a picture or a clip of sound is known by: which tower it is for, and its content.
struct MediaKey {
  MediaTower tower = MediaTower::vision;
  std::array<std::uint8_t, 32> digest = {};

  std::strong_ordering operator<=>(const MediaKey&) const = default;
  bool operator==(const MediaKey&) const = default;
};

/// What a tower made of a picture or a clip, [soft tokens, model_dim]; shared by whoever has it in
/// a prompt.
using MediaRows = std::shared_ptr<const std::vector<float>>;

/// A picture (or a frame of a video), or a clip of sound, in a prompt: its soft tokens, and what
/// they are made of. The tokens of the prompt there are placeholders, which mean nothing by
/// themselves.
struct PromptMedia {
  std::int64_t first = 0;  // position of the first soft token
  std::int64_t n = 0;      // soft tokens
  // One of both; shared by prompts that have it.
  std::shared_ptr<const PictureInput> picture = nullptr;
  std::shared_ptr<const SoundInput> sound = nullptr;

  std::int64_t end() const { return first + n; }
  MediaTower tower() const { return sound ? MediaTower::audio : MediaTower::vision; }
  MediaKey key() const { return {tower(), sound ? sound->digest : picture->digest}; }
  /// Its rows see each other where a model's blocks are bidirectional: sound goes on in time.
  bool is_block() const { return sound == nullptr; }
  /// For errors: "picture", "sound".
  const char* kind() const { return sound ? "sound" : "picture"; }
};

/// What it takes to know it again, once it is encoded: pixels and samples are let go of.
PromptMedia without_content(const PromptMedia& media);

/// What a prompt is made of, borrowed. Media are ascending and do not overlap.
struct PromptView {
  std::span<const text::TokenId> tokens;
  std::span<const PromptMedia> media;

  PromptView() = default;
  // Most prompts are tokens alone.
  PromptView(std::span<const text::TokenId> all,  // NOLINT(*-explicit-*)
             std::span<const PromptMedia> beside = {})
      : tokens(all), media(beside) {}
  PromptView(const std::vector<text::TokenId>& all,  // NOLINT(*-explicit-*)
             const std::vector<PromptMedia>& beside = {})
      : tokens(all), media(beside) {}

  std::int64_t size() const { return static_cast<std::int64_t>(tokens.size()); }
};

/// What is wrong with where a prompt's media stand; empty where nothing is. `longest_block`: most
/// soft tokens of one picture.
std::optional<std::string> media_places_error(const PromptView& prompt, std::int64_t longest_block);

/// Where two prompts part, at most `most` tokens from their beginnings: at the first tokens that
/// differ, or at the first soft token of something that only one of them has there.
std::int64_t common_tokens(const PromptView& a, const PromptView& b, std::int64_t most);

/// How many tokens after the `done` first ones may be computed at once where blocks are
/// bidirectional: `n`, or fewer and up to the beginning of a block that these would cut, or where
/// that is none more, and up to its end.
std::int64_t whole_blocks(std::span<const PromptMedia> media, std::int64_t done, std::int64_t n);

/// How many of the `n` first tokens a sequence that held them can be cut to and continued from,
/// where blocks see all of themselves and layers hold the `window` last positions alone: `n`, or
/// where what is left of a block would miss its beginning, as many as are before it.
std::int64_t continuable(std::span<const PromptMedia> media, std::int64_t n, std::int64_t window);

/// The part of its rows that `n` tokens after the `done` first ones have, as a slice of these
/// tokens has it; empty where they have none of it.
std::optional<SoftRows> soft_rows_within(const PromptMedia& media, const MediaRows& rows,
                                         std::int64_t done, std::int64_t n);

}  // namespace pleiad
