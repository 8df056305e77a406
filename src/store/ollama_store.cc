#include "store/ollama_store.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <optional>
#include <utility>

#include "base/error.h"
#include "base/json.h"
#include "base/text_format.h"
#include "digest/sha256.h"
#include "store/blobs.h"
#include "store/model_name.h"
#include "store/own_store.h"
#include "store/parameters.h"
#include "store/recipe.h"
#include "store/small_file.h"

namespace pleiad::store {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kMediaType = "application/vnd.ollama.image.";
constexpr std::size_t kMaxLayerText = 1 << 20;
constexpr std::size_t kMaxLayers = 4096;

/// Reads one manifest into an entry.
class ManifestReader {
 public:
  ManifestReader(const fs::path& store, ModelEntry& entry) : store_(store), entry_(entry) {}

  /// Throws Error that says what is wrong.
  void read(const std::string& text) {
    const Json manifest = parse_json(text, "the manifest");
    if (!manifest.is_object() || !manifest.contains("layers") || !manifest["layers"].is_array()) {
      throw Error("the manifest has no list of layers");
    }
    const Json& layers = manifest["layers"];
    if (layers.size() > kMaxLayers) throw Error("the manifest has {} layers", layers.size());
    for (const Json& layer : layers) read_layer(layer);
    if (!entry_.path.empty()) return;
    if (has_tensor_layers_) {
      throw Error("its weights are stored tensor by tensor, not as one GGUF file");
    }
    throw Error("the manifest names no model file (a model that runs elsewhere?)");
  }

 private:
  void read_layer(const Json& layer) {
    if (!layer.is_object()) throw Error("layers: expected objects");
    const std::string type = text_of(layer, "mediaType");
    if (!type.starts_with(kMediaType)) return;
    const std::string kind = type.substr(kMediaType.size());
    const auto size = layer.find("size");
    if (size != layer.end() && size->is_number_unsigned()) {
      entry_.size_bytes += size->get<std::uint64_t>();
    }
    const fs::path blob = blob_of(layer);
    if (kind == "model") {
      if (!entry_.path.empty()) throw Error("the manifest names two model files");
      entry_.path = blob;
      if (!is_file(blob)) throw Error("{} is missing", blob.string());
    } else if (kind == "projector") {
      // Where there are several, which no model of Ollama's has, it takes the first.
      if (!entry_.projector.empty()) throw Error("the manifest names two projector files");
      entry_.projector = blob;
      if (!is_file(blob)) throw Error("{} is missing, its projector", blob.string());
    } else if (kind == "adapter") {
      throw Error("it brings an adapter (LoRA), and these are not supported");
    } else if (kind == "tensor") {
      has_tensor_layers_ = true;
    } else if (kind == "system") {
      entry_.recipe.system = blob_text(blob);
    } else if (kind == "license") {
      entry_.recipe.licenses.push_back(blob_text(blob));
    } else if (kind == "params") {
      entry_.recipe.parameters =
          check_parameters(parse_json(blob_text(blob), "its parameters"), entry_.warnings);
    } else if (kind == "messages") {
      entry_.recipe.messages =
          check_messages(parse_json(blob_text(blob), "its messages"), entry_.warnings);
    }
    // template: Gemma 4's own is built in.
  }

  static std::string text_of(const Json& layer, const char* key) {
    const auto value = layer.find(key);
    if (value == layer.end() || !value->is_string()) {
      throw Error("layers: {} is missing or no text", key);
    }
    return value->get<std::string>();
  }

  fs::path blob_of(const Json& layer) const {
    const auto hex = digest_hex(text_of(layer, "digest"));
    if (!hex) throw Error("layers: {}", hex.message());
    fs::path blob = blob_path(store_, hex.value());
    // Old versions wrote a colon.
    const fs::path old = store_ / "blobs" / ("sha256:" + hex.value());
    return !is_file(blob) && is_file(old) ? old : blob;
  }

  static std::string blob_text(const fs::path& blob) {
    auto text = read_small_file(blob, kMaxLayerText);
    if (!text) throw Error("{}", text.message());
    return std::move(text).value();
  }

  const fs::path& store_;
  ModelEntry& entry_;
  bool has_tensor_layers_ = false;
};

ModelEntry read_model(const fs::path& store, const ModelName& name) {
  ModelEntry entry;
  entry.name = name.text();
  entry.source = Source::ollama;
  const fs::path path = store / "manifests" / name.path();
  struct stat status = {};
  if (::stat(path.c_str(), &status) == 0) entry.modified = status.st_mtime;
  const auto text = read_small_file(path);
  entry.digest = sha256_hex(text ? text.value() : path.string());
  if (!text) {
    entry.problem = text.message();
    return entry;
  }
  try {
    ManifestReader(store, entry).read(text.value());
  } catch (const Error& error) {
    entry.problem = fmt::format("{}: {}", path.string(), error.what());
  }
  return entry;
}

}  // namespace

std::vector<ModelEntry> scan_ollama_store(const fs::path& store) {
  std::vector<ModelEntry> entries;
  for (const ModelName& name : manifest_names(store / "manifests")) {
    entries.push_back(read_model(store, name));
  }
  return entries;
}

std::optional<ModelEntry> find_in_ollama_store(const fs::path& store, const ModelName& name) {
  const auto stored = find_manifest(store / "manifests", name);
  if (!stored) return std::nullopt;
  return read_model(store, *stored);
}

}  // namespace pleiad::store
