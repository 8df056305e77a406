#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/common/context.h"
#include "http/router.h"

namespace pleiad::api::ollama {

/// The version of Ollama whose API this is.
inline constexpr std::string_view kOllamaVersion = "0.34.2";

struct OllamaOptions {
  /// Answers browsers at "/"; empty: they get the line that everybody gets.
  http::Handler page;
  /// The version of Ollama that /api/version tells beside the program's own: clients leave
  /// where it is older than what they need.
  std::string version = std::string(kOllamaVersion);
};

/// Ollama's API: /api/... and "/". `context` must outlive the routes.
std::vector<http::Route> ollama_routes(ApiContext& context, OllamaOptions options = {});
void add_ollama_routes(http::Router& router, ApiContext& context, OllamaOptions options = {});

}  // namespace pleiad::api::ollama
