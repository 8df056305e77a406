#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pull/hugging_face/hub_file.h"

namespace pleiad::pull::hugging_face {

/// The file with the towers that a GGUF model sees and hears with.
struct ProjectorChoice {
  std::optional<HubFile> file;
  std::string left_out;  // others of them, and why; empty: there are none
};

/// The projector file for the model at that path: of its own folder, else of the nearest folder
/// above that has some; of several types of one tower that which is opened first where they lie
/// beside a model: BF16, then F16, F32, Q8_0.
ProjectorChoice choose_projector(const std::vector<HubFile>& files, const std::string& model);

}  // namespace pleiad::pull::hugging_face
