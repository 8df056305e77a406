#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "convert/folder_plan.h"
#include "model/checkpoint.h"

namespace pleiad::convert {

/// A small file of a model folder: text of ours, or a file of the source as it is.
struct FolderFile {
  std::string name;
  std::string text;
  std::filesystem::path from;  // where not empty, copied from there

  std::uint64_t bytes() const;
};

/// A file with the terms of use.
bool is_license(std::string_view name);

/// All files of the new folder but the weights: config.json with a quantization_config
/// where weights are quantized, tokenizer, templates, generation and processor configurations,
/// licenses. Of a GGUF source they are made from its metadata. `plan` is that of the weights.
std::vector<FolderFile> folder_files(const Checkpoint& source, const FolderPlan& plan);

/// Writes one into `folder`. Throws Error that names it.
void write_file(const std::filesystem::path& folder, const FolderFile& file);

}  // namespace pleiad::convert
