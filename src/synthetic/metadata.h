#pragma once

#include "formats/gguf/writer.h"
#include "synthetic/dimensions.h"
#include "synthetic/spec.h"

namespace pleiad::synthetic {

/// Writes every key of a Gemma 4 file but those of the tokenizer.
void set_model_keys(gguf::Writer& writer, const Spec& spec, const Dimensions& dimensions);

}  // namespace pleiad::synthetic
