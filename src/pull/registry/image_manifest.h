#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pleiad::pull {

/// The types of manifests that a registry is asked for, and that pushed ones have (the first).
inline constexpr std::string_view kDockerManifest =
    "application/vnd.docker.distribution.manifest.v2+json";
inline constexpr std::string_view kOciManifest = "application/vnd.oci.image.manifest.v1+json";
inline constexpr std::string_view kDockerIndex =
    "application/vnd.docker.distribution.manifest.list.v2+json";
inline constexpr std::string_view kOciIndex = "application/vnd.oci.image.index.v1+json";

/// Bytes of a manifest, at most.
inline constexpr std::size_t kLongestManifest = 4 << 20;

/// A blob, as a manifest tells of it.
struct Descriptor {
  std::string media_type;  // without parameters: "application/vnd.ollama.image.model"
  std::string hex;         // 64 digits of its SHA-256
  std::uint64_t size = 0;  // bytes
  std::string title;       // its file's name, where it is annotated; of any characters
};

/// What a registry keeps under a tag: Docker's schema 2, or OCI's.
struct ImageManifest {
  std::optional<Descriptor> only;  // of an index of one manifest: that one, to be asked for in its
                                   // place; nothing else is there then
  std::optional<Descriptor> config;  // Ollama's oldest models have none
  std::vector<Descriptor> layers;
};

/// Any bytes may be given; a Failure, a sentence without its subject, says what is wrong: another
/// kind of manifest, an index of several, a digest that is not SHA-256, sizes without bounds.
Result<ImageManifest> parse_image_manifest(std::string_view text);

}  // namespace pleiad::pull
