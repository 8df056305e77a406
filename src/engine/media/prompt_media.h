#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/model.h"
#include "model/picture_input.h"
#include "text/token.h"

namespace pleiad {

/// What pictures are known by.
using PictureDigest = std::array<std::uint8_t, 32>;

/// What a tower made of a picture, [soft tokens, model_dim]; shared by whoever shows it.
using PictureRows = std::shared_ptr<const std::vector<float>>;

/// A picture in a prompt: its soft tokens, and what they are made of. The tokens of the prompt
/// there are placeholders, which mean nothing by themselves.
struct PromptPicture {
  std::int64_t first = 0;                       // position of the first soft token
  std::int64_t n = 0;                           // soft tokens
  std::shared_ptr<const PictureInput> picture;  // shared by prompts that show it

  std::int64_t end() const { return first + n; }
};

/// What it takes to know the picture again, once it is encoded: its pixels are let go of.
PromptPicture without_pixels(const PromptPicture& picture);

/// What a prompt is made of, borrowed. Pictures are ascending and do not overlap.
struct PromptView {
  std::span<const text::TokenId> tokens;
  std::span<const PromptPicture> pictures;

  PromptView() = default;
  // Most prompts are tokens alone.
  PromptView(std::span<const text::TokenId> all,  // NOLINT(*-explicit-*)
             std::span<const PromptPicture> shown = {})
      : tokens(all), pictures(shown) {}
  PromptView(const std::vector<text::TokenId>& all,  // NOLINT(*-explicit-*)
             const std::vector<PromptPicture>& shown = {})
      : tokens(all), pictures(shown) {}

  std::int64_t size() const { return static_cast<std::int64_t>(tokens.size()); }
};

/// What is wrong with where a prompt's pictures stand; empty where nothing is. `longest_block`:
/// most soft tokens of one picture.
std::optional<std::string> picture_places_error(const PromptView& prompt,
                                                std::int64_t longest_block);

/// Where two prompts part, at most `most` tokens from their beginnings: at the first tokens that
/// differ, or at the first soft token of a picture that only one of them shows there.
std::int64_t common_tokens(const PromptView& a, const PromptView& b, std::int64_t most);

/// How many tokens after the `done` first ones may be computed at once where blocks are
/// bidirectional: `n`, or fewer and up to the beginning of a block that these would cut, or where
/// that is none more, and up to its end.
std::int64_t whole_blocks(std::span<const PromptPicture> pictures, std::int64_t done,
                          std::int64_t n);

/// How many of the `n` first tokens a sequence that held them can be cut to and continued from,
/// where blocks see all of themselves and layers hold the `window` last positions alone: `n`, or
/// where what is left of a block would miss its beginning, as many as are before it.
std::int64_t continuable(std::span<const PromptPicture> pictures, std::int64_t n,
                         std::int64_t window);

/// The part of a picture's rows that `n` tokens after the `done` first ones show, as a slice of
/// these tokens has it; empty where they show none of it.
std::optional<SoftRows> soft_rows_within(const PromptPicture& picture, const PictureRows& rows,
                                         std::int64_t done, std::int64_t n);

}  // namespace pleiad
