#include "pull/registry/image_manifest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/json.h"
#include "base/text_format.h"
#include "digest/sha256.h"

namespace pleiad::pull {
namespace {

constexpr std::size_t kMostLayers = 4096;
constexpr std::uint64_t kLargestBlob = std::uint64_t{1} << 50;  // a thousand terabytes

/// Throws Error; caught in parse_image_manifest, as of all below.
Descriptor read_descriptor(const Json& json, const std::string& where) {
  if (!json.is_object()) throw Error("{}: expected an object", where);
  Descriptor result;
  const std::string media_type = text_member(json, "mediaType");
  if (media_type.empty()) throw Error("{}.mediaType is missing or no text", where);
  result.media_type = media_type.substr(0, media_type.find_first_of("; "));
  if (result.media_type.empty()) {
    throw Error("{}.mediaType: expected a type before its parameters, found '{}'", where,
                printable(media_type, 40));
  }
  auto hex = digest_hex(text_member(json, "digest"));
  if (!hex) throw Error("{}: {}", where, hex.message());
  result.hex = std::move(hex).value();
  const Json* size = find_member(json, "size");
  if (size == nullptr || !size->is_number_unsigned() || size->get<std::uint64_t>() > kLargestBlob) {
    throw Error("{}.size: expected a whole number of bytes, {} at most", where, kLargestBlob);
  }
  result.size = size->get<std::uint64_t>();
  if (const Json* annotations = find_member(json, "annotations")) {
    result.title = text_member(*annotations, "org.opencontainers.image.title");
    if (result.title.empty()) result.title = text_member(*annotations, "org.cncf.model.filepath");
  }
  return result;
}

/// A manifest that vouches for another one, as Docker's builder adds them.
bool is_attestation(const Json& entry) {
  const Json* annotations = find_member(entry, "annotations");
  return annotations != nullptr &&
         text_member(*annotations, "vnd.docker.reference.type") == "attestation-manifest";
}

std::string platform_of(const Json& entry) {
  const Json* platform = find_member(entry, "platform");
  if (platform == nullptr) return "?";
  return printable(text_member(*platform, "os") + "/" + text_member(*platform, "architecture"), 40);
}

ImageManifest read_index(const Json& manifests) {
  if (!manifests.is_array() || manifests.empty() || manifests.size() > kMostLayers) {
    throw Error("manifests: expected a list of 1 to {}", kMostLayers);
  }
  ImageManifest result;
  std::vector<std::string> platforms;
  for (std::size_t i = 0; i < manifests.size(); ++i) {
    Descriptor entry = read_descriptor(manifests[i], fmt::format("manifests[{}]", i));
    if (is_attestation(manifests[i])) continue;
    if (entry.size > kLongestManifest) {
      throw Error("manifests[{}] has {}, {} at most", i, format_bytes(entry.size),
                  format_bytes(kLongestManifest));
    }
    result.only = std::move(entry);
    if (platforms.size() < 8) platforms.push_back(platform_of(manifests[i]));
  }
  if (!result.only) throw Error("is an index without a manifest");
  if (platforms.size() > 1) {
    throw Error("is an index of several images ({}), not one model", fmt::join(platforms, ", "));
  }
  return result;
}

ImageManifest read_image_manifest(std::string_view text) {
  if (text.size() > kLongestManifest) {
    throw Error("has {}, {} at most", format_bytes(text.size()), format_bytes(kLongestManifest));
  }
  const Json json = parse_json(text, "it");
  if (!json.is_object()) throw Error("is not an object");
  const Json* version = find_member(json, "schemaVersion");
  if (version == nullptr || *version != 2) {
    throw Error("schemaVersion: expected 2, found {}",
                version == nullptr ? "none" : printable(to_text(*version), 20));
  }
  const std::string type = text_member(json, "mediaType");
  const Json* manifests = find_member(json, "manifests");
  if (type == kDockerIndex || type == kOciIndex || (type.empty() && manifests != nullptr)) {
    return read_index(manifests == nullptr ? Json() : *manifests);
  }
  if (!type.empty() && type != kDockerManifest && type != kOciManifest) {
    throw Error("mediaType: '{}' is not a manifest that is known", printable(type));
  }
  const Json* layers = find_member(json, "layers");
  if (layers == nullptr || !layers->is_array() || layers->size() > kMostLayers) {
    throw Error("layers: expected a list of at most {}", kMostLayers);
  }
  ImageManifest result;
  const Json* config = find_member(json, "config");
  // Ollama writes a config without a digest where a model has none.
  if (config != nullptr && !text_member(*config, "digest").empty()) {
    result.config = read_descriptor(*config, "config");
  }
  for (std::size_t i = 0; i < layers->size(); ++i) {
    result.layers.push_back(read_descriptor((*layers)[i], fmt::format("layers[{}]", i)));
  }
  return result;
}

}  // namespace

Result<ImageManifest> parse_image_manifest(std::string_view text) {
  try {
    return read_image_manifest(text);
  } catch (const Error& error) {
    return Failure{error.what()};
  }
}

}  // namespace pleiad::pull
