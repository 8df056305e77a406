#include "server_bench/requests.h"

namespace pleiad::server_bench {
namespace {

constexpr const char* kKeepAlive = "30m";  // longer than the pause between two questions

Json one_turn(const std::string& prompt) {
  return Json::array({{{"role", "user"}, {"content", prompt}}});
}

}  // namespace

Json ollama_question(const std::string& model, const std::string& prompt, std::int64_t n_tokens,
                     const AskOptions& options) {
  Json body = {{"model", model},
               {"messages", one_turn(prompt)},
               {"stream", true},
               {"think", false},
               {"ignore_eos", true},  // Ollama itself does not know it, and does not mind
               {"options", {{"num_predict", n_tokens}, {"temperature", 0}, {"seed", 1}}}};
  if (options.keeps_model) body["keep_alive"] = kKeepAlive;
  if (options.context_length) body["options"]["num_ctx"] = *options.context_length;
  return body;
}

Json ollama_load(const std::string& model, const AskOptions& options) {
  Json body = {{"model", model}, {"stream", false}};
  if (options.keeps_model) body["keep_alive"] = kKeepAlive;
  if (options.context_length) body["options"] = {{"num_ctx", *options.context_length}};
  return body;
}

Json ollama_unload(const std::string& model) {
  return {{"model", model}, {"stream", false}, {"keep_alive", 0}};
}

Json openai_question(Product product, const std::string& model, const std::string& prompt,
                     std::int64_t n_tokens, bool with_extras) {
  Json body = {{"model", model},
               {"messages", one_turn(prompt)},
               {"stream", true},
               {"stream_options", {{"include_usage", true}}},
               {"max_tokens", n_tokens},
               {"temperature", 0},
               {"seed", 1}};
  if (!with_extras) return body;
  body["ignore_eos"] = true;
  if (product == Product::pleiad) return body;  // which refuses what it does not know
  body["chat_template_kwargs"] = {{"enable_thinking", false}};
  // vLLM may sample an end and go on, which would be tokens without text; this forbids it.
  if (product != Product::llama_cpp) body["min_tokens"] = n_tokens;
  if (product != Product::vllm) body["cache_prompt"] = false;
  return body;
}

}  // namespace pleiad::server_bench
