#pragma once

#include <filesystem>

#include "download/session.h"
#include "pull/registry/credentials.h"
#include "store/catalog.h"

namespace pleiad::pull {

/// What registries are talked with; all outlive the source or destination that has them.
struct RegistryOptions {
  download::Session& session;
  store::Catalog& catalog;
  std::filesystem::path store;  // our own (CatalogOptions::own)
  Credentials credentials = {};
};

}  // namespace pleiad::pull
