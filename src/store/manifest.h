#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/model_entry.h"

namespace pleiad::store {

/// What our own store keeps of a model, as JSON in manifests/<host>/<namespace>/<model>/<tag>:
///
///   {"format": "pleiad-model/1",
///    "model": {"path": "/models/x.gguf"},      where it lies, in place; or
///             {"blob": "sha256:..."}           a GGUF file among our blobs; or
///             {"files": {"config.json": "sha256:...", ...}}   a folder made of blobs
///    "projector": {"path": "/models/mmproj.gguf"} or {"blob": "sha256:..."}   of its tower, where
///                                              one was named; may be left out
///    "from": "gemma4:e2b",                     as it was given; may be left out, as all below
///    "pulled": "host/user/model:tag@sha256:...",   the manifest of a registry that it is
///    "system": "...", "parameters": {"top_k": 40, "stop": ["a"]},
///    "messages": [{"role": "user", "content": "..."}], "licenses": ["..."]}
struct Manifest {
  std::filesystem::path path;                // or
  std::string blob;                          // 64 hex digits; or
  std::map<std::string, std::string> files;  // file name -> 64 hex digits
  std::filesystem::path projector_path;      // or
  std::string projector_blob;                // 64 hex digits; or neither
  std::string from;
  std::string pulled;  // empty: it was made here
  Recipe recipe;

  /// The 64 hex digits of every blob that it needs.
  std::vector<std::string> blobs() const;

  /// Of a model of several files: the name of the folder that stands for it.
  std::string folder_name() const;
};

std::string to_json_text(const Manifest& manifest);

/// A Failure says what is wrong with it. Any bytes may be given.
Result<Manifest> parse_manifest(std::string_view text);

/// Empty where `name` can be a file of a model's folder, else why not.
std::string problem_of_file_name(std::string_view name);

}  // namespace pleiad::store
