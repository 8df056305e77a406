#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "pull/hugging_face/hub_file.h"

namespace pleiad::pull::hugging_face {

/// Which files of a repository make the model that somebody means.
struct Choice {
  /// In the order of fetching and of getting their names: what makes a model of them to others
  /// comes last, so that nobody finds half a model.
  std::vector<HubFile> files;
  std::string model;     // the path of the GGUF file, or of its first part; empty: safetensors
  std::string selector;  // what chooses the same again: "Q4_K_M", "x.gguf", "safetensors"
  std::string type;      // what the weights are stored as, where a name says it: "Q4_K_M"
  std::string why;  // what was chosen where the name left a choice, and why; empty: it left none
  std::vector<std::string> left_out;  // what is not fetched that might be missed, and why
};

/// Reads a small file of the repository whole.
using ReadFile = std::function<Result<std::string>(const HubFile&)>;

/// `files` stand by path. `wanted`: a type ("Q4_K_M"), the name of a GGUF file with or without its
/// folder, "safetensors"; empty or "latest": a GGUF of a usual type, else safetensors. A Failure, a
/// sentence without its subject, says what is there instead.
Result<Choice> choose_files(const std::vector<HubFile>& files, const std::string& wanted,
                            const ReadFile& read);

}  // namespace pleiad::pull::hugging_face
