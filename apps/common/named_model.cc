#include "apps/common/named_model.h"

#include "apps/common/catalog.h"

namespace pleiad::apps {

const char* model_help() {
  return "A model's name (see `pleiad list`), a GGUF file, a Hugging Face folder, or \"demo\"";
}

Result<store::ModelEntry> find_named_model(const std::string& name,
                                           const Environment& environment) {
  return store::Catalog(catalog_options(environment)).find(name);
}

}  // namespace pleiad::apps
