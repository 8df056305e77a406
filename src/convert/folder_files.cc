#include "convert/folder_files.h"

#include <algorithm>
#include <array>
#include <optional>
#include <system_error>

#include "base/error.h"
#include "base/mapped_file.h"
#include "base/output_file.h"
#include "convert/hf_config.h"
#include "convert/hf_tokenizer.h"
#include "convert/quantization_config.h"
#include "convert/tower_plan.h"
#include "formats/gguf/reader.h"

namespace pleiad::convert {
namespace {

namespace fs = std::filesystem;

constexpr const char* kConfig = "config.json";
constexpr const char* kQuantization = "quantization_config";

std::string_view as_text(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

const char* torch_name(DType dtype) {
  return dtype == DType::f32 ? "float32" : dtype == DType::f16 ? "float16" : "bfloat16";
}

std::string printed(const Json& json) {
  return exact_text(json, "a text of the file's metadata", 2) + "\n";
}

/// Files that tell how a model is used: not its weights, its card, or what its own kind
/// of quantization left behind.
bool is_carried(const fs::path& path) {
  constexpr std::array kEndings = {".json", ".jinja", ".model", ".txt"};
  constexpr std::array kOfQuantization = {"hf_quant_config.json", "quant_config.json",
                                          "quantize_config.json", "quantization_config.json"};
  const std::string name = path.filename().string();
  if (name == kConfig || name.starts_with('.') || name.ends_with(".index.json")) return false;
  if (std::ranges::find(kOfQuantization, name) != kOfQuantization.end()) return false;
  if (is_license(name)) return true;
  return std::ranges::find(kEndings, path.extension().string()) != kEndings.end();
}

std::vector<fs::path> carried_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.is_regular_file(error) && is_carried(entry.path())) files.push_back(entry.path());
  }
  if (error) throw Error("{}: cannot be read: {}", folder.string(), error.message());
  std::ranges::sort(files);
  return files;
}

/// The source's own config.json, told how the new weights lie.
Json changed_config(const Checkpoint& source, const std::optional<Json>& quantization,
                    bool stays_quantized, bool with_tower) {
  const fs::path path = source.path() / kConfig;
  const MappedFile file(path);
  Json config = parse_json(as_text(file), path.string());
  if (with_tower && !source.projector().empty()) {
    config["vision_config"] = make_vision_config(*source.vision());
  } else if (!with_tower && source.vision() != nullptr) {
    config["vision_config"] = nullptr;
  }
  if (!stays_quantized) config.erase(kQuantization);
  if (quantization) config[kQuantization] = *quantization;
  return config;
}

void add_made_files(const Checkpoint& source, std::vector<FolderFile>& files) {
  const gguf::File& gguf = *source.gguf();
  files.push_back({"generation_config.json", printed(make_generation_config(source)), {}});
  if (source.tokenizer_source() == TokenizerSource::none) return;
  files.push_back({"tokenizer.json", make_tokenizer_json(gguf), {}});
  files.push_back({"tokenizer_config.json", printed(make_tokenizer_config(gguf)), {}});
  const auto chat_template = gguf.metadata().find_string("tokenizer.chat_template");
  if (chat_template) files.push_back({"chat_template.jinja", std::string(*chat_template), {}});
}

}  // namespace

bool is_license(std::string_view name) {
  return name.starts_with("LICENSE") || name.starts_with("NOTICE");
}

std::uint64_t FolderFile::bytes() const {
  std::error_code error;
  if (from.empty()) return text.size();
  const std::uintmax_t size = fs::file_size(from, error);
  return error ? 0 : size;
}

std::vector<FolderFile> folder_files(const Checkpoint& source, FileType type,
                                     const std::vector<std::string>& ignore, DType dtype,
                                     bool stays_quantized, bool with_tower) {
  std::optional<Json> quantization;
  if (container_of(type) == Container::folder) quantization = quantization_config(type, ignore);
  std::vector<FolderFile> files;
  if (source.gguf() != nullptr) {
    Json config = make_hf_config(source, torch_name(dtype), with_tower);
    if (quantization) config[kQuantization] = *quantization;
    files.push_back({kConfig, printed(config), {}});
    if (with_tower) {
      const gemma4::AudioConfig* sound = has_sound_embedder(source) ? source.audio() : nullptr;
      files.push_back(
          {"processor_config.json", printed(make_processor_config(*source.vision(), sound)), {}});
    }
    add_made_files(source, files);
    return files;
  }
  const Json config = changed_config(source, quantization, stays_quantized, with_tower);
  files.push_back({kConfig, printed(config), {}});
  for (const fs::path& path : carried_files(source.path())) {
    files.push_back({path.filename().string(), {}, path});
  }
  return files;
}

void write_file(const fs::path& folder, const FolderFile& file) {
  OutputFile output(folder / file.name);
  if (file.from.empty()) {
    output.write(std::as_bytes(std::span(file.text)));
  } else {
    output.write(MappedFile(file.from).bytes());
  }
  output.finish();
}

}  // namespace pleiad::convert
