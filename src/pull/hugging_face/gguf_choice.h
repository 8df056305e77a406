#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "pull/hugging_face/choice.h"

namespace pleiad::pull::hugging_face {

/// GGUF files that a model can be opened from are among them.
bool has_gguf_models(const std::vector<HubFile>& files);

/// A GGUF file, or all parts of a split one, and the projector file that it sees and hears with.
/// `wanted` is a type or a file's name, in any case of letters. Where it is empty: Q4_K_M, else
/// Q8_0, as llama.cpp and Ollama choose, else the first type by name that is read here.
Result<Choice> choose_gguf(const std::vector<HubFile>& files, const std::string& wanted);

}  // namespace pleiad::pull::hugging_face
