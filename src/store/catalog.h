#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/result.h"
#include "store/leftovers.h"
#include "store/model_entry.h"

namespace pleiad::store {

struct Manifest;

/// Where models are looked for; the caller read the environment.
struct CatalogOptions {
  std::filesystem::path own;  // XDG_DATA_HOME/pleiad/models; written to; empty: none
  std::vector<std::filesystem::path> ollama;        // stores of Ollama: read in place
  std::vector<std::filesystem::path> hugging_face;  // HF_HOME/hub: read in place
  std::vector<std::filesystem::path> folders;       // any folders with .gguf files or checkpoints
  std::filesystem::path demo;                       // the demo model's file; empty: none
  std::filesystem::path home;                       // for "~/"; empty: unknown
  bool allow_paths = true;  // names that are paths are opened, and messages tell where files
                            // are (not for requests from other machines)
};

/// What POST /api/create and `pleiad create` ask for.
struct NewModel {
  std::string name;
  std::string from;                                        // a model's name or a path; or
  std::vector<std::pair<std::string, std::string>> files;  // file name -> "sha256:..." blobs; a
                                                           // projector may be among them
  std::string projector;  // beside `from`: the path of a projector file that its tower is read
                          // from; empty: FROM's own
  Recipe recipe;          // laid over FROM's own
};

/// There is no model of that name.
class ModelNotFound : public Error {
 public:
  using Error::Error;
};

/// Every model at hand, by name. Threads may share it. What others own (Ollama's
/// store, the Hugging Face cache, plain files) is read in place, and not changed but by remove():
/// copy() and create() write a small manifest into our own store.
class Catalog {
 public:
  explicit Catalog(CatalogOptions options);
  ~Catalog();

  /// All of them; the latest changed first. Damaged ones with their `problem`.
  std::vector<ModelEntry> list() const;

  /// As CatalogOptions has it.
  bool allows_paths() const;

  /// By name: "[host/][namespace/]model[:tag]" (tag: latest), "hf.co/org/repo[:file]", a path,
  /// "demo". A Failure says what was looked for where, and names that are close.
  Result<ModelEntry> find(const std::string& name) const;

  /// Throws Error (a full disk, a bad name, blobs that are missing). Atomic.
  ModelEntry create(const NewModel& model);
  /// Throws ModelNotFound where there is no source.
  void copy(const std::string& source, const std::string& destination);
  /// Of our own store, or of a Hugging Face cache, where pulling puts models too: throws Error that
  /// names the owner otherwise, ModelNotFound where there is none. Blobs that nothing needs any
  /// more are removed too.
  void remove(const std::string& name);
  /// Throws Error where no model of our store can have that name.
  void check_writable(const std::string& name) const;
  /// As store/arrivals.h has it, under the store's lock. Throws Error.
  std::string install(const std::string& name, const Manifest& manifest,
                      const std::set<std::string>& arrived);

  /// Blobs by digest, "sha256:" and 64 hex digits; anything else throws Error before
  /// it touches a path.
  bool has_blob(const std::string& digest) const;
  /// Takes a blob piece by piece; finish() checks the digest and gives it its place,
  /// otherwise nothing stays behind.
  class BlobWriter {
   public:
    virtual ~BlobWriter() = default;
    virtual void write(std::span<const char> piece) = 0;
    virtual void finish() = 0;  // throws Error: the digest differs, a full disk
  };
  std::unique_ptr<BlobWriter> write_blob(const std::string& digest);

  /// As remove_leftovers() of our own store.
  Leftovers remove_leftovers();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// A Modelfile as NewModel (FROM, SYSTEM, PARAMETER, MESSAGE, LICENSE; TEMPLATE and
/// ADAPTER are refused with a message that says why). A second FROM names a projector file.
/// Relative paths in FROM count from `folder`.
Result<NewModel> parse_modelfile(const std::string& text, const std::filesystem::path& folder);

/// The Modelfile that would make this model.
std::string to_modelfile(const ModelEntry& entry);

}  // namespace pleiad::store
