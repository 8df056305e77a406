#include "model/stored_tensors.h"

#include <algorithm>
#include <array>
#include <functional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "base/mapped_file.h"
#include "base/text_format.h"
#include "formats/gguf/ggml_types.h"
#include "formats/gguf/reader.h"
#include "formats/not_a_model.h"
#include "formats/safetensors/folder.h"
#include "model/checkpoint.h"
#include "model/checkpoint_location.h"
#include "model/config_text.h"
#include "model/gemma4/config_load.h"
#include "model/gemma4/tensor_table.h"

namespace pleiad {
namespace {

constexpr std::string_view kPacked = "_packed";

/// Our names by those of the file.
using Names = std::unordered_map<std::string, std::string>;

std::string_view without(std::string_view text, std::string_view suffix) {
  return text.substr(0, text.size() - suffix.size());
}

TensorRole role_of_unused(const gemma4::Config& config, std::string_view name) {
  switch (gemma4::classify_unused(config, name)) {
    case gemma4::UnusedKind::vision:
      return TensorRole::vision;
    case gemma4::UnusedKind::audio:
      return TensorRole::audio;
    case gemma4::UnusedKind::dead_kv:
      return TensorRole::dead_kv;
    case gemma4::UnusedKind::ignored:
      return TensorRole::auxiliary;
    case gemma4::UnusedKind::unknown:
      break;
  }
  return TensorRole::unknown;
}

/// Fills name and role in. `scale_ends`: what a tensor of scales has after the name of
/// the tensor that they belong to, of which `data_end` is cut off before.
void classify(StoredTensor& tensor, const gemma4::Config& config, const Names& names,
              std::span<const std::string_view> scale_ends, std::string_view data_end) {
  const auto find = [&](const std::string& name) {
    const auto found = names.find(name);
    if (found != names.end()) tensor.name = found->second;
    return found != names.end();
  };
  if (find(tensor.file_name)) {
    tensor.role = TensorRole::text;
    return;
  }
  for (const std::string_view end : scale_ends) {
    if (!tensor.file_name.ends_with(end)) continue;
    if (!find(std::string(without(tensor.file_name, end)) + std::string(data_end))) continue;
    tensor.role = TensorRole::scale;
    return;
  }
  tensor.role = role_of_unused(config, tensor.file_name);
}

}  // namespace

struct StoredTensors::State {
  std::filesystem::path path;
  std::optional<gguf::File> gguf;
  std::optional<safetensors::Folder> folder;
  std::vector<gguf::File> projectors;
  std::vector<StoredTensor> tensors;

  void read_gguf() {
    gguf = gguf::File::open(path);
    const gemma4::Config config =
        read_unchanged(*gguf, [&] { return gemma4::config_from_gguf(*gguf); });
    Names names;
    for (const auto layout : {gemma4::ExpertsLayout::fused, gemma4::ExpertsLayout::split}) {
      for (auto& spec : gemma4::tensor_table(config, layout)) {
        names.emplace(std::move(spec.gguf_name), std::move(spec.name));
      }
    }
    for (const gguf::TensorInfo& info : gguf->tensors()) {
      StoredTensor tensor;
      tensor.file_name = info.name;
      tensor.type = gguf::ggml_type_name(info.ggml_type);
      tensor.dtype = info.dtype;
      tensor.shape = info.shape;
      tensor.data = info.data;
      classify(tensor, config, names, std::array{std::string_view(".scale")}, ".weight");
      tensors.push_back(std::move(tensor));
    }
  }

  void read_projector(const std::filesystem::path& file) {
    projectors.push_back(gguf::File::open(file));
    for (const gguf::TensorInfo& info : projectors.back().tensors()) {
      const bool is_audio = info.name.starts_with("a.") || info.name.starts_with("mm.a.");
      tensors.push_back({{},
                         std::string(info.name),
                         gguf::ggml_type_name(info.ggml_type),
                         info.dtype,
                         info.shape,
                         info.data,
                         is_audio ? TensorRole::audio : TensorRole::vision});
    }
  }

  void read_folder() {
    const std::filesystem::path config_path = path / "config.json";
    const gemma4::Config config =
        gemma4::config_from_json(read_config_text(config_path), config_path.string());
    folder = safetensors::Folder::open(path);
    Names names;
    for (const auto& spec : gemma4::tensor_table(config)) {
      for (const std::string_view prefix : gemma4::kHfPrefixes) {
        names.emplace(fmt::format("{}{}", prefix, spec.hf_name), spec.name);
      }
    }
    for (const safetensors::File& file : folder->files()) {
      for (const safetensors::TensorInfo& info : file.tensors()) add(info, config, names);
    }
  }

  void add(const safetensors::TensorInfo& info, const gemma4::Config& config, const Names& names) {
    constexpr std::array ends = {std::string_view("_scale"), std::string_view("_global_scale"),
                                 std::string_view("_scale_2")};
    StoredTensor tensor{{},         info.name, info.type,          info.dtype,
                        info.shape, info.data, TensorRole::unknown};
    classify(tensor, config, names, ends, "");
    // Nibbles are bytes to the file.
    if (info.type == "U8" && info.name.ends_with(kPacked)) {
      const auto found = names.find(std::string(without(info.name, kPacked)));
      if (found != names.end()) {
        tensor.name = found->second;
        tensor.role = TensorRole::text;
      }
    }
    const bool may_be_packed = tensor.role == TensorRole::text ||
                               (tensor.role == TensorRole::dead_kv && info.name.ends_with(kPacked));
    const bool nibbles =
        info.type == "U8" && may_be_packed && info.shape.size() == 2 && info.shape[1] % 8 == 0;
    if (nibbles) {
      tensor.dtype = DType::nvfp4_packed;
      tensor.shape[1] *= 2;
    }
    tensors.push_back(std::move(tensor));
  }

  const MappedFile* mapping_of(std::span<const std::byte> bytes) const {
    const auto holds = [&](const MappedFile& file) {
      const auto all = file.bytes();
      return std::less_equal<>()(all.data(), bytes.data()) &&
             std::less_equal<>()(bytes.data() + bytes.size(), all.data() + all.size());
    };
    std::vector<const gguf::File*> files;
    if (gguf) files.push_back(&*gguf);
    for (const gguf::File& projector : projectors) files.push_back(&projector);
    for (const gguf::File* file : files) {
      const auto found = std::ranges::find_if(file->parts(), holds);
      if (found != file->parts().end()) return &*found;
    }
    if (!folder) return nullptr;
    for (const safetensors::File& file : folder->files()) {
      if (file.mapping() != nullptr && holds(*file.mapping())) return file.mapping();
    }
    return nullptr;
  }
};

std::string_view name(TensorRole role) {
  constexpr std::array<std::string_view, 7> kNames = {
      "text", "scale", "auxiliary", "dead keys and values", "vision", "audio", "unknown"};
  return kNames.at(static_cast<std::size_t>(role));
}

std::vector<std::filesystem::path> projector_files(const Checkpoint& checkpoint) {
  std::vector<std::filesystem::path> files;
  for (const auto& file : {checkpoint.projector(), checkpoint.audio_projector()}) {
    if (!file.empty() && std::ranges::find(files, file) == files.end()) files.push_back(file);
  }
  return files;
}

StoredTensors::StoredTensors(std::unique_ptr<State> state) : state_(std::move(state)) {}
StoredTensors::~StoredTensors() = default;
StoredTensors::StoredTensors(StoredTensors&&) noexcept = default;
StoredTensors& StoredTensors::operator=(StoredTensors&&) noexcept = default;

StoredTensors StoredTensors::open(const std::filesystem::path& path,
                                  const std::vector<std::filesystem::path>& projectors) {
  auto state = std::make_unique<State>();
  const CheckpointLocation location = locate_checkpoint(path);
  state->path = location.path;
  if (location.is_gguf) {
    state->read_gguf();
  } else {
    state->read_folder();
  }
  for (const std::filesystem::path& projector : projectors) state->read_projector(projector);
  return StoredTensors(std::move(state));
}

const std::filesystem::path& StoredTensors::path() const { return state_->path; }
bool StoredTensors::is_gguf() const { return state_->gguf.has_value(); }
const std::vector<StoredTensor>& StoredTensors::tensors() const { return state_->tensors; }

std::uint64_t StoredTensors::total_bytes() const {
  std::uint64_t bytes = 0;
  for (const StoredTensor& tensor : state_->tensors) bytes += tensor.data.size();
  return bytes;
}

void StoredTensors::check_unchanged() const {
  if (state_->gguf) state_->gguf->check_unchanged();
  if (state_->folder) state_->folder->check_unchanged();
  for (const gguf::File& projector : state_->projectors) projector.check_unchanged();
}

void StoredTensors::drop_pages(std::span<const std::byte> bytes) const {
  if (const MappedFile* file = state_->mapping_of(bytes)) file->drop_pages(bytes);
}

}  // namespace pleiad
