#include "store/file_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "base/mapped_file.h"
#include "base/terminal_text.h"
#include "formats/gguf/ggml_types.h"
#include "formats/gguf/reader.h"
#include "formats/safetensors/folder.h"
#include "model/checkpoint.h"
#include "store/config_metadata.h"
#include "store/details.h"
#include "store/metadata_json.h"

namespace pleiad::store {
namespace {

Json tensor_json(std::string_view name, std::string type, Json shape) {
  return {{"name", terminal_text(name)}, {"type", std::move(type)}, {"shape", std::move(shape)}};
}

/// False, and says so, where there are as many as are told.
bool has_room(FileFacts& facts, const MetadataLimits& limits, std::size_t n_tensors) {
  if (facts.tensors.size() < limits.tensors) return true;
  facts.left_out.push_back(fmt::format("tensors: {} of {} are listed", limits.tensors, n_tensors));
  return false;
}

void list_gguf_tensors(const gguf::File& file, const MetadataLimits& limits, FileFacts& facts) {
  for (const gguf::TensorInfo& tensor : file.tensors()) {
    if (!has_room(facts, limits, file.tensors().size())) return;
    Json shape = Json::array();
    for (auto dim = tensor.shape.rbegin(); dim != tensor.shape.rend(); ++dim) shape.push_back(*dim);
    facts.tensors.push_back(tensor_json(
        tensor.name, ascii_upper(gguf::ggml_type_name(tensor.ggml_type)), std::move(shape)));
  }
}

void list_folder_tensors(const safetensors::Folder& folder, const MetadataLimits& limits,
                         FileFacts& facts) {
  std::vector<const safetensors::TensorInfo*> all;
  for (const safetensors::File& file : folder.files()) {
    for (const safetensors::TensorInfo& tensor : file.tensors()) all.push_back(&tensor);
  }
  std::ranges::sort(all, {}, [](const auto* tensor) -> const std::string& { return tensor->name; });
  for (const safetensors::TensorInfo* tensor : all) {
    if (!has_room(facts, limits, all.size())) return;
    facts.tensors.push_back(
        tensor_json(tensor->name, terminal_text(tensor->type), Json(tensor->shape)));
  }
}

}  // namespace

FileFacts file_facts(const ModelEntry& entry, bool verbose) {
  FileFacts facts;
  if (!entry.details || entry.path.empty()) return facts;
  const MetadataLimits limits = verbose ? MetadataLimits::all() : MetadataLimits();
  const Checkpoint checkpoint = Checkpoint::open(entry.path, {entry.projector});
  read_unchanged(checkpoint, [&] {
    std::map<std::string, Json> pairs;
    if (const gguf::File* file = checkpoint.gguf()) {
      MetadataJson metadata = metadata_json(file->metadata(), limits);
      pairs = std::move(metadata.pairs);
      facts.left_out = std::move(metadata.left_out);
      pairs.emplace("gemma4.vocab_size", checkpoint.config().vocab_size);
      list_gguf_tensors(*file, limits, facts);
    } else {
      pairs = config_metadata(checkpoint.config());
      const auto type = file_type_number(entry.details->quantization_level);
      if (type) pairs.emplace("general.file_type", *type);
      if (verbose) list_folder_tensors(*checkpoint.folder(), limits, facts);
    }
    pairs["general.parameter_count"] = entry.details->parameter_count;
    for (auto& [key, value] : pairs) append_member(facts.metadata, key, std::move(value));
    if (!checkpoint.vision()) return;
    for (auto& [key, value] : projector_metadata(*checkpoint.vision())) {
      append_member(facts.projector, key, std::move(value));
    }
  });
  return facts;
}

}  // namespace pleiad::store
