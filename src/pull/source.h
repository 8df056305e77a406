#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "pull/model_reference.h"
#include "store/model_entry.h"

namespace pleiad::pull {

/// Asked several times a second; true ends what goes on. The same type as download::Stop.
using Stop = std::function<bool()>;

/// How far something is: a line of /api/pull and /api/push, whose clients know these statuses:
/// "pulling manifest", "pulling 0123456789ab" (the first 12 digits; with digest, total, completed),
/// "verifying sha256 digest", "writing manifest", "success"; "retrieving manifest", "pushing
/// 0123456789ab", "pushing manifest".
/// A source says all but the last, "success", which whoever asked it says.
struct Progress {
  std::string status;
  std::string digest = {};  // "sha256:...", or what tells files apart ("etag:...", a file's path)
                            // where no digest is known; empty: of no file
  std::uint64_t total = 0;  // bytes of that file; 0: of no file
  std::uint64_t completed = 0;  // bytes of it, those that were there before among them
};

/// Called on the caller's thread or on others, one call at a time, some ten times a second for a
/// file and once when it is complete. It must not throw.
using ProgressSink = std::function<void(const Progress&)>;

struct OfferedFile {
  std::string what;           // for people: "model", "projector", "gemma-4-E2B-it-Q4_K_M.gguf"
  std::string digest;         // as Progress::digest
  std::uint64_t bytes = 0;    // in all
  std::uint64_t at_hand = 0;  // of them here already: a whole file, or one to be resumed
};

/// What a source has under a name, and what getting it means. Nothing was changed yet.
struct Offer {
  std::string name;  // whole, and pinned where it can be: "gemma4:e2b", "hf:user/repo@0123abc:Q4_0"
  std::string host;  // who gives it: "registry.ollama.ai"
  std::string revision;  // a commit, or the manifest's digest "sha256:..."
  std::string license;   // its name or first line: "apache-2.0"; empty: the source does not say
  std::string type;      // what the weights are stored as, where it is said: "Q4_K_M"
  std::string chosen;  // what was chosen where the name left a choice, and why; empty: it left none
  std::vector<OfferedFile> files;
  std::filesystem::path destination;  // the folder of the store or cache that it goes to
  std::vector<std::string> left_out;  // what is not fetched, or fetched and not used, and why

  /// What the source itself needs for fetch(); nobody else's.
  struct Plan {
    virtual ~Plan() = default;
  };
  std::shared_ptr<const Plan> plan;

  std::uint64_t bytes() const;    // of all files
  std::uint64_t at_hand() const;  // of them here already
};

/// How a transfer ended well.
struct TransferResult {
  std::string name;  // by which the catalogue finds the model; of a push, by which others do
  std::vector<std::string> left_out;  // of a pull: as Offer has it, and what of the offer turned
                                      // out to be of no use when it was here, and why
};

/// Has models for others. Made for one pull, used by one thread at a time.
class Source {
 public:
  virtual ~Source() = default;

  /// Asks what is there: small requests alone. A Failure names the host and what to do; so it does
  /// where no model may have that name here, or the disk has too little room for it, which fetch()
  /// looks at again.
  virtual Result<Offer> offer(const ModelReference& reference, const Stop& stop) = 0;

  /// Gets it, checks it, and gives it its place, in this order; it is called "gemma4:e2b",
  /// "hf.co/user/repo:Q4_K_M" then. When it ends early, for whatever reason, a model of that name
  /// is what it was, and what has come is resumed the next time.
  virtual Result<TransferResult> fetch(const Offer& offer, const ProgressSink& sink,
                                       const Stop& stop) = 0;
};

/// Takes models from others.
class Destination {
 public:
  virtual ~Destination() = default;

  /// Sends the model's files, those that are there already not again, and its recipe, under the
  /// name of `reference`. A Failure names the host and what to do.
  virtual Result<bool> push(const store::ModelEntry& model, const ModelReference& reference,
                            const ProgressSink& sink, const Stop& stop) = 0;
};

}  // namespace pleiad::pull
