#pragma once

#include <filesystem>
#include <string>

#include "download/session.h"
#include "pull/source.h"

namespace pleiad::pull {

/// What the apps read from flags and the environment.
struct HuggingFaceOptions {
  std::string endpoint = "https://huggingface.co";  // HF_ENDPOINT: a mirror
  /// HF_TOKEN, or the text of the file that `hf auth login` writes; white space around it does not
  /// count; empty: none. It goes to the endpoint and to nobody that it leads to.
  std::string token = {};
  bool offline = false;              // HF_HUB_OFFLINE: nobody is asked
  std::filesystem::path cache = {};  // HF_HUB_CACHE, HF_HOME/hub: where Python's tools look too
};

/// Models of the Hugging Face hub, into the cache that Python's huggingface_hub reads and writes.
/// The branch or tag is pinned to the commit that it means at the time of the offer. Each file is
/// checked by its SHA-256 or by git's id of it. Blobs are complete before a name leads to them, and
/// the revision is noted last, so that what was there before stays until then.
class HuggingFaceSource : public Source {
 public:
  HuggingFaceSource(download::Session& session, HuggingFaceOptions options);

  Result<Offer> offer(const ModelReference& reference, const Stop& stop) override;
  Result<TransferResult> fetch(const Offer& offer, const ProgressSink& sink,
                               const Stop& stop) override;

 private:
  download::Session& session_;
  HuggingFaceOptions options_;
};

}  // namespace pleiad::pull
