// Any bytes at all, read as config.json, generation_config.json and processor_config.json.
// Whatever is wrong must end in LoadError, and what is accepted must have a tensor table.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "model/checkpoint_generation.h"
#include "model/gemma4/audio/config_load.h"
#include "model/gemma4/audio/tensor_table.h"
#include "model/gemma4/config_load.h"
#include "model/gemma4/tensor_table.h"
#include "model/gemma4/vision/config_load.h"
#include "model/gemma4/vision/tensor_table.h"

namespace {

template <typename Work>
void attempt(Work work) {
  try {
    work();
  } catch (const pleiad::LoadError& error) {
    if (error.what()[0] == '\0') std::abort();
  }
}

void check(const std::vector<pleiad::gemma4::EncoderTensorSpec>& table) {
  for (const auto& spec : table) {
    if (pleiad::element_count(spec.shape) < 1) std::abort();
    if (pleiad::element_count(spec.shape) != pleiad::element_count(spec.gguf_shape)) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  attempt([&] {
    const auto config = pleiad::gemma4::config_from_json(text, "fuzz");
    for (const auto layout :
         {pleiad::gemma4::ExpertsLayout::fused, pleiad::gemma4::ExpertsLayout::split}) {
      for (const auto& spec : pleiad::gemma4::tensor_table(config, layout)) {
        if (pleiad::element_count(spec.shape) < 1) std::abort();
      }
    }
  });
  pleiad::gemma4::Config model;
  model.model_dim = 32;
  model.vocab_size = 272;
  attempt([&] {
    const auto media = pleiad::gemma4::media_config_from_json(text, "fuzz", model);
    if (media.vision) check(pleiad::gemma4::vision_tensor_table(*media.vision));
  });
  attempt([&] {
    const auto media = pleiad::gemma4::sound_config_from_json(text, "fuzz", model);
    if (!media.audio) return;
    const auto table = pleiad::gemma4::audio_tensor_table(*media.audio);
    if (!pleiad::gemma4::audio_tower_problem(*media.audio).empty()) return;  // is not used
    check(table);
    for (const std::int64_t n : {media.audio->min_samples, media.audio->max_samples}) {
      const std::int64_t n_tokens = pleiad::gemma4::sound_tokens(*media.audio, n);
      if (n_tokens < 1 || n_tokens > pleiad::gemma4::kMostSoundTokens) std::abort();
    }
  });
  attempt([&] { (void)pleiad::gemma4::default_budget_from_json(text, "fuzz"); });
  attempt([&] { (void)pleiad::parse_generation_config(text, "fuzz"); });
  return 0;
}
