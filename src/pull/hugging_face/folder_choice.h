#pragma once

#include <vector>

#include "base/result.h"
#include "pull/hugging_face/choice.h"

namespace pleiad::pull::hugging_face {

/// A checkpoint as a folder of safetensors stands at the top of the repository.
bool has_folder(const std::vector<HubFile>& files);

/// The configuration, tokenizer, templates, licence and weights of that folder: not the same
/// weights in other forms, not what lies in folders below. Which files hold the weights stands in
/// their index, which is read.
Result<Choice> choose_folder(const std::vector<HubFile>& files, const ReadFile& read);

}  // namespace pleiad::pull::hugging_face
