#include "pull/registry/pushed_image.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/json.h"
#include "base/text_format.h"
#include "digest/file_sha256.h"
#include "digest/sha256.h"
#include "pull/registry/image_manifest.h"
#include "store/model_files.h"
#include "store/parameters.h"

namespace pleiad::pull {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kConfigType = "application/vnd.docker.container.image.v1+json";
constexpr std::uint64_t kBetweenLines = std::uint64_t{64} << 20;  // bytes that are read

std::string layer_type(std::string_view kind) {
  return fmt::format("application/vnd.ollama.image.{}", kind);
}

/// The digits of "blobs/sha256-<64 digits>" (ours, Ollama's) and "blobs/<64 digits>" (Hugging
/// Face's); empty for other files. Registries check them.
std::string digits_in_name(const fs::path& path) {
  if (path.parent_path().filename() != "blobs") return {};
  std::string name = path.filename().string();
  if (name.starts_with("sha256-") || name.starts_with("sha256:")) name.erase(0, 7);
  const auto hex = digest_hex("sha256:" + name);
  return hex ? hex.value() : "";
}

/// Throws Error, as all below; caught in make_image.
std::string hash_file(const fs::path& path, std::uint64_t size, const ProgressSink& sink,
                      const Stop& stop) {
  const std::string name = printable(path.filename().string());
  std::uint64_t n_read = 0;
  std::uint64_t next_line = 0;
  const auto hex = sha256_of_file(path, [&](std::uint64_t so_far) {
    n_read = so_far;
    if (so_far >= next_line || so_far == size) {
      sink({"hashing " + name, name, size, std::min(so_far, size)});
      next_line = so_far + kBetweenLines;
    }
    return !(stop && stop());
  });
  if (!hex) throw LoadError("{}: {}", path.string(), hex.message());
  if (n_read != size) {
    throw LoadError("{}: cannot be read whole ({} of {})", path.string(), format_bytes(n_read),
                    format_bytes(size));
  }
  return hex.value();
}

PushedBlob blob_of_file(std::string_view kind, const fs::path& path, const ProgressSink& sink,
                        const Stop& stop) {
  std::error_code error;
  PushedBlob blob;
  blob.media_type = layer_type(kind);
  blob.path = fs::canonical(path, error);
  if (!error) blob.size = fs::file_size(blob.path, error);
  if (error) throw LoadError("{}: cannot be read: {}", path.string(), error.message());
  blob.hex = digits_in_name(blob.path);
  if (blob.hex.empty()) blob.hex = hash_file(blob.path, blob.size, sink, stop);
  return blob;
}

PushedBlob blob_of_text(std::string media_type, std::string text) {
  return {std::move(media_type), sha256_hex(text), text.size(), {}, std::move(text)};
}

Json descriptor_of(const PushedBlob& blob) {
  return {{"mediaType", blob.media_type}, {"digest", "sha256:" + blob.hex}, {"size", blob.size}};
}

/// What Ollama reads of a model before its weights; its renderer and parser of Gemma 4 are those
/// that it gives to models of this family itself.
std::string config_of(const store::ModelDetails& details, const std::vector<PushedBlob>& layers) {
  Json digests = Json::array();
  for (const PushedBlob& layer : layers) digests.push_back("sha256:" + layer.hex);
  return to_text(Json{{"model_format", "gguf"},
                      {"model_family", details.family},
                      {"model_families", Json::array({details.family})},
                      {"model_type", details.parameter_size},
                      {"file_type", details.quantization_level},
                      {"renderer", "gemma4"},
                      {"parser", "gemma4"},
                      {"architecture", "amd64"},
                      {"os", "linux"},
                      {"rootfs", {{"type", "layers"}, {"diff_ids", std::move(digests)}}}});
}

void check_files(const store::ModelEntry& model) {
  if (!model.problem.empty()) throw LoadError("{}", model.problem);
  if (!model.details) throw LoadError("{}: is not known well enough", model.name);
  std::error_code error;
  if (fs::is_directory(model.path, error) || model.details->format != "gguf") {
    throw LoadError(
        "{}: is a folder of safetensors, and registries hold models as one GGUF file: "
        "make one with `pleiad quantize`, and push that",
        model.name);
  }
  if (store::model_files(model.path).size() > 1) {
    throw LoadError(
        "{}: is split in several files, and registries hold models as one GGUF file: "
        "make one with `pleiad quantize`, and push that",
        model.name);
  }
  if (model.projectors().size() > 1) {
    throw LoadError(
        "{}: has two projectors beside it, and an image holds one: name one in a "
        "Modelfile (a second FROM), and push what `pleiad create` makes of it",
        model.name);
  }
}

PushedImage image_of(const store::ModelEntry& model, const ProgressSink& sink, const Stop& stop) {
  check_files(model);
  PushedImage image;
  image.blobs.push_back(blob_of_file("model", model.path, sink, stop));
  for (const fs::path& projector : model.projectors()) {
    image.blobs.push_back(blob_of_file("projector", projector, sink, stop));
  }
  const auto add = [&](std::string_view kind, std::string text) {
    image.blobs.push_back(blob_of_text(layer_type(kind), std::move(text)));
  };
  const store::Recipe& recipe = model.recipe;
  if (!recipe.system.empty()) add("system", recipe.system);
  for (const std::string& license : recipe.licenses) add("license", license);
  if (!recipe.parameters.empty()) {
    add("params", exact_text(store::parameters_to_json(recipe.parameters), "its parameters"));
  }
  if (!recipe.messages.empty()) add("messages", exact_text(recipe.messages, "its messages"));
  Json layers = Json::array();
  for (const PushedBlob& layer : image.blobs) layers.push_back(descriptor_of(layer));
  image.blobs.push_back(
      blob_of_text(std::string(kConfigType), config_of(*model.details, image.blobs)));
  image.manifest = to_text(Json{{"schemaVersion", 2},
                                {"mediaType", kDockerManifest},
                                {"config", descriptor_of(image.blobs.back())},
                                {"layers", std::move(layers)}});
  return image;
}

}  // namespace

Result<PushedImage> make_image(const store::ModelEntry& model, const ProgressSink& sink,
                               const Stop& stop) {
  try {
    return image_of(model, sink, stop);
  } catch (const Error& error) {
    return Failure{error.what()};
  }
}

}  // namespace pleiad::pull
