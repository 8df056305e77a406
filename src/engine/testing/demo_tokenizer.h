#pragma once

#include "base/testing/paths.h"
#include "engine/loaded_model.h"
#include "model/checkpoint.h"

namespace pleiad::testing_support {

/// The demo model's, which is read once.
inline const text::Tokenizer& demo_tokenizer() {
  static const text::Tokenizer tokenizer =
      load_tokenizer(Checkpoint::open(source_path("models/demo/pleiad-demo.gguf")));
  return tokenizer;
}

}  // namespace pleiad::testing_support
