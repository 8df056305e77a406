#include "apps/common/catalog.h"

#include "apps/common/model_location.h"

namespace pleiad::apps {

store::CatalogOptions catalog_options(const Environment& environment) {
  store::CatalogOptions options;
  options.own = environment.own_models;
  options.ollama = environment.ollama_models;
  options.hugging_face = environment.hugging_face;
  options.folders = environment.model_folders;
  options.demo = find_demo_model(environment).value_or(std::filesystem::path());
  options.home = environment.home;
  return options;
}

}  // namespace pleiad::apps
