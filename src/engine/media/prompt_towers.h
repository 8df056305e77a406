#pragma once

#include <cstdint>
#include <string>

#include "model/checkpoint.h"
#include "text/token.h"

namespace pleiad {

/// What stands for a picture or a clip of sound in a prompt, by the checkpoint's own numbers:
/// `begin`, as many `soft` as the tower gives vectors, `end`. Nothing stands between them and the
/// text around.
struct MediaTokens {
  text::TokenId begin = -1;
  text::TokenId soft = -1;  // <|image|>, <|audio|>: its embedding row is replaced
  text::TokenId end = -1;

  bool operator==(const MediaTokens&) const = default;
};

/// What prompts know of a model's vision tower.
struct VisionPrompt {
  std::string problem = "has no vision tower";  // follows the model's name; empty: it sees
  MediaTokens tokens;
  int default_budget = 0;    // soft tokens of a picture where nobody says how many
  int longest_side = 0;      // pixels of a side that the tower has positions for
  int soft_token_side = 48;  // pixels of the square that a soft token stands for

  text::TokenId video = -1;  // <|video|>, the soft token of frames; -1: it is shown no videos
  int video_frames = 32;     // of a video, and soft tokens of each, where nobody says how many
  int video_budget = 70;

  bool sees() const { return problem.empty(); }
  bool watches() const { return sees() && video >= 0; }
};

/// What prompts know of a model's audio tower.
struct AudioPrompt {
  std::string problem = "has no audio tower";  // as VisionPrompt's; empty: it hears
  MediaTokens tokens;
  gemma4::AudioConfig tower;

  bool hears() const { return problem.empty(); }
  /// Of a clip.
  std::int64_t soft_tokens(std::int64_t n_samples) const {
    return gemma4::sound_tokens(tower, n_samples);
  }
};

/// What prompts know of a model's towers.
struct PromptTowers {
  VisionPrompt vision;
  AudioPrompt audio;
};
PromptTowers prompt_towers(const Checkpoint& checkpoint);

}  // namespace pleiad
