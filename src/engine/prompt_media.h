#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "model/picture_input.h"
#include "text/token.h"

namespace pleiad {

/// A picture in a prompt: its soft tokens, and what they are made of. The tokens of the prompt
/// there are placeholders, which mean nothing by themselves.
struct PromptPicture {
  std::int64_t first = 0;                       // position of the first soft token
  std::int64_t n = 0;                           // soft tokens
  std::shared_ptr<const PictureInput> picture;  // shared by prompts that show it

  std::int64_t end() const { return first + n; }
};

/// What a prompt is made of, borrowed. Pictures are ascending and do not overlap.
struct PromptView {
  std::span<const text::TokenId> tokens;
  std::span<const PromptPicture> pictures;

  PromptView() = default;
  // Most prompts are tokens alone.
  PromptView(std::span<const text::TokenId> tokens,  // NOLINT(*-explicit-*)
             std::span<const PromptPicture> pictures = {})
      : tokens(tokens), pictures(pictures) {}
  PromptView(const std::vector<text::TokenId>& tokens,  // NOLINT(*-explicit-*)
             const std::vector<PromptPicture>& pictures = {})
      : tokens(tokens), pictures(pictures) {}

  std::int64_t size() const { return static_cast<std::int64_t>(tokens.size()); }
};

}  // namespace pleiad
