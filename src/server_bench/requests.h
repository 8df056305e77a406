#pragma once

#include "base/json.h"
#include "server_bench/server.h"

namespace pleiad::server_bench {

// The bodies of requests, as each API and each product wants them.

/// POST /api/chat
Json ollama_question(const std::string& model, const std::string& prompt, std::int64_t n_tokens,
                     const AskOptions& options);
/// POST /api/generate without a prompt: loads the model, or unloads it.
Json ollama_load(const std::string& model, const AskOptions& options);
Json ollama_unload(const std::string& model);

/// POST /v1/chat/completions. `with_extras`: with what forces the length, and keeps thinking and
/// caches off, of which OpenAI's own API has no word.
Json openai_question(Product product, const std::string& model, const std::string& prompt,
                     std::int64_t n_tokens, bool with_extras);

}  // namespace pleiad::server_bench
