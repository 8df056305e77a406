#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "store/model_entry.h"

namespace pleiad::store {

/// What a model's files say of themselves, in Ollama's words.
struct FileFacts {
  Json metadata = Json::object();   // by key: {"general.architecture": "gemma4", ...}
  Json projector = Json::object();  // of its tower, likewise: {"clip.vision.block_count": 16, ...}
  Json tensors = Json::array();     // {"name", "type", "shape"}, as they stand in the file: GGUF's
                                    // shapes have the innermost dimension first
  std::vector<std::string> left_out;  // what was too long to be told
};

/// Opens the model's files and reads what stands before the weights; bounded, see MetadataLimits.
/// `verbose`: vocabularies too, and the tensors of safetensors. An entry with a `problem` gives
/// nothing. Throws LoadError and FileChangedError where the files are not what they were.
FileFacts file_facts(const ModelEntry& entry, bool verbose);

}  // namespace pleiad::store
