#pragma once

#include <string>
#include <vector>

#include "api/common/context.h"
#include "http/router.h"

namespace pleiad::api::ollama {

struct OllamaOptions {
  /// Answers browsers at "/"; empty: they get the line that everybody gets.
  http::Handler page;
  /// What /api/version says; empty: the program's own version. Some clients want a
  /// version of Ollama that knows what they need.
  std::string version;
};

/// Ollama's API: /api/... and "/". `context` must outlive the routes.
std::vector<http::Route> ollama_routes(ApiContext& context, OllamaOptions options = {});
void add_ollama_routes(http::Router& router, ApiContext& context, OllamaOptions options = {});

}  // namespace pleiad::api::ollama
