#pragma once

#include <string>

#include "store/catalog.h"

namespace pleiad::apps {

/// Makes a model as a Modelfile says; "-" is the standard input. Throws Error that names the
/// Modelfile and the line.
store::ModelEntry create_from_modelfile(store::Catalog& catalog, const std::string& name,
                                        const std::string& modelfile);

}  // namespace pleiad::apps
