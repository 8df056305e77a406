#include <utility>

#include "api/ollama/routes.h"

namespace pleiad::api::ollama {

void add_ollama_routes(http::Router& router, ApiContext& context, OllamaOptions options) {
  for (http::Route& route : ollama_routes(context, std::move(options))) {
    router.add(std::move(route));
  }
}

}  // namespace pleiad::api::ollama
