#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "store/manifest.h"
#include "store/model_entry.h"
#include "store/model_name.h"

namespace pleiad::store {

/// Our own store: manifests/ (see manifest.h), blobs/sha256-<hex>, and checkpoints/<hex>/,
/// folders of links to the blobs of models of several files.
/// What changes it needs a StoreLock that the caller holds.
class OwnStore {
 public:
  explicit OwnStore(std::filesystem::path root) : root_(std::move(root)) {}

  const std::filesystem::path& root() const { return root_; }

  /// All models, without details. Never throws because of a file.
  std::vector<ModelEntry> scan() const;

  /// The model of a name that find() gave, without details.
  ModelEntry entry(const ModelName& name) const;

  /// The name in the store that is the same but for the case of letters.
  std::optional<ModelName> find(const ModelName& name) const;

  /// Throws Error where what the manifest names is no model that can be used.
  void check(const Manifest& manifest);

  /// Writes a manifest, atomically; an older one of that name is replaced.
  void put(const ModelName& name, const Manifest& manifest);

  /// The manifest of a name that find() gave; a Failure says what is wrong with it.
  Result<Manifest> get(const ModelName& name) const;

  /// Takes the manifest away, and blobs that only it needed.
  void remove(const ModelName& name);

  /// What all manifests need.
  struct Needed {
    std::set<std::string> blobs;    // hex digits
    std::set<std::string> folders;  // of checkpoints/
  };
  /// A Failure where one of them cannot be read, so that nobody knows what may go.
  Result<Needed> needed() const;

 private:
  std::filesystem::path manifest_path(const ModelName& name) const;
  std::filesystem::path model_path(const Manifest& manifest) const;
  std::filesystem::path projector_path(const Manifest& manifest) const;
  void make_checkpoint(const Manifest& manifest);
  void drop_unneeded(const Manifest& removed);

  std::filesystem::path root_;
};

/// Every manifest of a store of this layout, ours or Ollama's: four folders deep. What has
/// no name that is allowed is left out; folders that cannot be read are empty, and the first of
/// them, with why, is told in `problem`.
std::vector<ModelName> manifest_names(const std::filesystem::path& manifests,
                                      std::string* problem = nullptr);

/// The one of these that is the same name but for the case of letters.
std::optional<ModelName> find_manifest(const std::filesystem::path& manifests,
                                       const ModelName& name);

}  // namespace pleiad::store
