#pragma once

#include <memory>
#include <string>
#include <vector>

#include "apps/common/environment.h"
#include "pull/source.h"
#include "store/catalog.h"

namespace pleiad::apps {

/// Where models come from and go to, as flags and the environment have it. Threads may share it.
class ModelHosts {
 public:
  /// `catalog` must outlive it, and what it makes.
  ModelHosts(const Environment& environment, store::Catalog& catalog,
             std::vector<std::string> insecure_hosts);

  /// `insecure`: of the registry's host too, or of a mirror of Hugging Face, never of itself. What
  /// is made may outlive this.
  Result<std::unique_ptr<pull::Source>> source(const pull::ModelReference& reference,
                                               bool insecure) const;
  Result<std::unique_ptr<pull::Destination>> destination(const pull::ModelReference& reference,
                                                         bool insecure) const;

 private:
  const Environment& environment_;
  store::Catalog& catalog_;
  std::vector<std::string> insecure_hosts_;
};

}  // namespace pleiad::apps
