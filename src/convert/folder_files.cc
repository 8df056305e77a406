#include "convert/folder_files.h"

#include <algorithm>
#include <array>
#include <set>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/mapped_file.h"
#include "base/output_file.h"
#include "convert/hf_config.h"
#include "convert/hf_tokenizer.h"
#include "convert/quantization_config.h"
#include "formats/gguf/reader.h"
#include "model/config_text.h"

namespace pleiad::convert {
namespace {

namespace fs = std::filesystem;

constexpr const char* kConfig = "config.json";
constexpr const char* kQuantization = "quantization_config";

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

/// Those that the plan writes.
FolderEncoders written_encoders(const Checkpoint& source, const FolderPlan& plan) {
  return {plan.tower_reports.vision ? source.vision() : nullptr,
          plan.tower_reports.audio ? source.audio() : nullptr};
}

/// The modules that a quantized source's config.json says are not; null: it names none.
Json* ignored_modules(Json& config) {
  if (!config.contains(kQuantization) || !config[kQuantization].is_object()) return nullptr;
  Json& quantization = config[kQuantization];
  if (!quantization.contains("ignore") || !quantization["ignore"].is_array()) return nullptr;
  return &quantization["ignore"];
}

/// They have the names of a model with towers. Patterns and names of classes stay.
void rename_ignored(Json& config) {
  Json* ignored = ignored_modules(config);
  if (ignored == nullptr) return;
  for (Json& module : *ignored) {
    if (!module.is_string() || module.get<std::string>().starts_with("re:")) continue;
    const std::string name = module.get<std::string>();
    if (name.find('.') != std::string::npos) module = nested_text_name(name);
  }
}

/// Whether a tower of a projector file takes its place in the source's folder.
bool brings_tower(const Checkpoint& source, const FolderEncoders& written) {
  return (written.vision != nullptr && !source.projector().empty()) ||
         (written.audio != nullptr && !source.audio_projector().empty());
}

/// The matrices of a tower that comes beside quantized weights are among those that are not.
void ignore_towers(const FolderPlan& plan, Json& config) {
  Json* ignored = ignored_modules(config);
  if (ignored == nullptr) return;
  std::set<std::string> known;
  for (const Json& module : *ignored) {
    if (module.is_string()) known.insert(module.get<std::string>());
  }
  for (const FolderTensor& tensor : plan.tensors) {
    constexpr std::string_view kWeight = ".weight";
    if (tensor.tower == nullptr || !tensor.name.ends_with(kWeight)) continue;
    const std::string module = tensor.name.substr(0, tensor.name.size() - kWeight.size());
    const bool is_linear = std::ranges::find(plan.ignore, module) != plan.ignore.end();
    if (is_linear && known.insert(module).second) ignored->push_back(module);
  }
}

/// The source's own config.json, told how the new weights lie.
Json changed_config(const Checkpoint& source, const FolderPlan& plan) {
  Json config = read_config_of(source);
  if (!plan.stays_quantized) config.erase(kQuantization);
  const FolderEncoders written = written_encoders(source, plan);
  if (plan.nests_text) {
    rename_ignored(config);
    ignore_towers(plan, config);
    return with_encoders(source, std::move(config), written);
  }
  if (brings_tower(source, written)) {
    ignore_towers(plan, config);
    name_encoder_tokens(source, written, config);
  }
  if (written.vision != nullptr && !source.projector().empty()) {
    config["vision_config"] = make_vision_config(*written.vision);
  }
  if (written.audio != nullptr && !source.audio_projector().empty()) {
    config["audio_config"] = make_audio_config(*written.audio);
  }
  if (plan.left_out.vision > 0) config["vision_config"] = nullptr;
  if (plan.left_out.audio > 0) config["audio_config"] = nullptr;
  return config;
}

/// How pictures and sounds go in, where the source folder does not say it.
void add_processor_config(const FolderEncoders& encoders, std::vector<FolderFile>& files) {
  constexpr const char* kName = "processor_config.json";
  if (!encoders.any() || std::ranges::find(files, kName, &FolderFile::name) != files.end()) return;
  files.push_back({kName, printed(make_processor_config(encoders)), {}});
}

/// The source's own says nothing of a tower that it did not have.
void complete_processor_config(const FolderEncoders& encoders, std::vector<FolderFile>& files) {
  const auto found = std::ranges::find(files, "processor_config.json", &FolderFile::name);
  if (found == files.end()) return add_processor_config(encoders, files);
  const std::string text = read_config_text(found->from);
  Json config = parse_json(text, found->from.string());
  if (!config.is_object()) throw Error("{}: expected a JSON object", found->from.string());
  bool is_complete = true;
  const Json made = make_processor_config(encoders);
  for (const auto& [key, value] : made.items()) {
    if (config.contains(key) && !config[key].is_null()) continue;
    config[key] = value;
    is_complete = false;
  }
  if (!is_complete) *found = {found->name, printed(config), {}};
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

std::vector<FolderFile> folder_files(const Checkpoint& source, const FolderPlan& plan) {
  const bool from_gguf = source.gguf() != nullptr;
  const FolderEncoders written = written_encoders(source, plan);
  Json config;
  if (from_gguf) {
    config = make_text_config(source, torch_name(plan.dtype));
    if (written.any()) config = with_encoders(source, std::move(config), written);
  } else {
    config = changed_config(source, plan);
  }
  if (container_of(plan.quantization) == Container::folder) {
    config[kQuantization] = quantization_config(plan.quantization, plan.ignore);
  }
  std::vector<FolderFile> files;
  files.push_back({kConfig, printed(config), {}});
  if (from_gguf) {
    add_processor_config(written, files);
    add_made_files(source, files);
    return files;
  }
  for (const fs::path& path : carried_files(source.path())) {
    files.push_back({path.filename().string(), {}, path});
  }
  if (plan.nests_text || brings_tower(source, written)) complete_processor_config(written, files);
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
