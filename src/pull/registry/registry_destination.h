#pragma once

#include "pull/registry/blob_upload.h"
#include "pull/registry/registry_options.h"
#include "pull/source.h"

namespace pleiad::pull {

/// Registries that models are pushed to, as images that Ollama and we pull back: each file and each
/// text a layer, blobs that are there already are skipped, the manifest is sent last.
class RegistryDestination : public Destination {
 public:
  explicit RegistryDestination(RegistryOptions options, UploadLimits limits = {})
      : options_(std::move(options)), limits_(limits) {}

  Result<bool> push(const store::ModelEntry& model, const ModelReference& reference,
                    const ProgressSink& sink, const Stop& stop) override;

 private:
  RegistryOptions options_;
  UploadLimits limits_;
};

}  // namespace pleiad::pull
