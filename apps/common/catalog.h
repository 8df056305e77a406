#pragma once

#include "apps/common/environment.h"
#include "store/catalog.h"

namespace pleiad::apps {

/// Where the user of this machine has models.
store::CatalogOptions catalog_options(const Environment& environment);

}  // namespace pleiad::apps
