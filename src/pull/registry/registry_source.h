#pragma once

#include "pull/registry/registry_options.h"
#include "pull/source.h"

namespace pleiad::pull {

/// Models of registries, Ollama's and Docker's, into our own store. Their texts (parameters, system
/// prompt, messages, licences) are read with the offer and become the model's recipe; their files
/// grow in partial/ (store/arrivals.h), are checked by their digests and only then become blobs.
class RegistrySource : public Source {
 public:
  explicit RegistrySource(RegistryOptions options) : options_(std::move(options)) {}

  Result<Offer> offer(const ModelReference& reference, const Stop& stop) override;
  Result<TransferResult> fetch(const Offer& offer, const ProgressSink& sink,
                               const Stop& stop) override;

 private:
  RegistryOptions options_;
};

}  // namespace pleiad::pull
