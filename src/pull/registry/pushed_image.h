#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "pull/source.h"
#include "store/model_entry.h"

namespace pleiad::pull {

/// A blob on its way to a registry: a file, or bytes.
struct PushedBlob {
  std::string media_type;
  std::string hex;  // 64 digits of its SHA-256
  std::uint64_t size = 0;
  std::filesystem::path path;  // empty: `bytes` are all
  std::string bytes;
};

/// A model as Ollama's and our own `pull` read it.
struct PushedImage {
  std::vector<PushedBlob> blobs;  // its layers in their order, and its config, last
  std::string manifest;           // JSON of kDockerManifest
};

/// Of a model in any store or in place: files whose digest stands in their name (blobs of ours, of
/// Ollama's, of Hugging Face's cache) are not read, others are hashed, which `sink` is told of. A
/// Failure says why there is no image of it: several files, a folder, files that do not serve.
Result<PushedImage> make_image(const store::ModelEntry& model, const ProgressSink& sink,
                               const Stop& stop);

}  // namespace pleiad::pull
