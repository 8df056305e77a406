#include "engine/media/prompt_towers.h"

namespace pleiad {
namespace {

VisionPrompt vision_prompt(const Checkpoint& checkpoint) {
  VisionPrompt vision;
  vision.problem = checkpoint.picture_problem();
  if (!vision.sees()) return vision;
  const gemma4::MediaTokens& tokens = checkpoint.media_tokens();
  vision.tokens = {.begin = *tokens.image_begin, .soft = *tokens.image, .end = *tokens.image_end};
  const gemma4::VisionConfig& tower = *checkpoint.vision();
  vision.default_budget = tower.default_budget;
  vision.longest_side = tower.position_table_size * tower.patch_size;
  vision.soft_token_side = tower.patch_size * tower.pooling;
  vision.video = tokens.video.value_or(-1);
  return vision;
}

AudioPrompt audio_prompt(const Checkpoint& checkpoint) {
  AudioPrompt audio;
  audio.problem = checkpoint.sound_problem();
  if (!audio.hears()) return audio;
  const gemma4::SoundTokens& tokens = checkpoint.sound_tokens();
  audio.tokens = {.begin = *tokens.audio_begin, .soft = *tokens.audio, .end = *tokens.audio_end};
  audio.tower = *checkpoint.audio();
  return audio;
}

}  // namespace

PromptTowers prompt_towers(const Checkpoint& checkpoint) {
  PromptTowers towers;
  towers.vision = vision_prompt(checkpoint);
  towers.audio = audio_prompt(checkpoint);
  return towers;
}

}  // namespace pleiad
