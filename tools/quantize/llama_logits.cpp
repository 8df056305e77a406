// The logits that llama.cpp computes, for compare_llama_cpp.py, which compiles this
// against a llama.cpp source tree and what was built from it:
//
//   llama_logits MODEL TOKENS OUT [THREADS]
//
// TOKENS is "2,45,107". Writes n_tokens * vocabulary floats to OUT and prints the
// size of the vocabulary.

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "llama.h"

namespace {

std::vector<llama_token> read_tokens(const char* text) {
  std::vector<llama_token> tokens;
  while (*text != '\0') {
    char* end = nullptr;
    tokens.push_back(static_cast<llama_token>(std::strtol(text, &end, 10)));
    text = *end == ',' ? end + 1 : end;
    if (*end != ',' && *end != '\0') std::exit(2);
  }
  return tokens;
}

int fail(const char* what) {
  std::fprintf(stderr, "llama.cpp: %s\n", what);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return fail("llama_logits MODEL TOKENS OUT [THREADS]");
  std::vector<llama_token> tokens = read_tokens(argv[2]);
  llama_backend_init();
  llama_model_params model_params = llama_model_default_params();
  model_params.n_gpu_layers = 0;
  llama_model* model = llama_model_load_from_file(argv[1], model_params);
  if (model == nullptr) return fail("the model cannot be loaded");

  llama_context_params params = llama_context_default_params();
  const auto n_tokens = static_cast<uint32_t>(tokens.size());
  params.n_ctx = n_tokens + 64;
  params.n_batch = n_tokens;
  params.n_ubatch = n_tokens;
  params.n_threads = params.n_threads_batch = argc > 4 ? std::atoi(argv[4]) : 2;
  params.type_k = params.type_v = GGML_TYPE_F32;
  params.flash_attn_type = LLAMA_FLASH_ATTN_TYPE_DISABLED;
  params.swa_full = true;
  llama_context* context = llama_init_from_model(model, params);
  if (context == nullptr) return fail("no context");

  llama_batch batch = llama_batch_init(static_cast<int32_t>(n_tokens), 0, 1);
  for (uint32_t i = 0; i < n_tokens; ++i) {
    batch.token[i] = tokens[i];
    batch.pos[i] = static_cast<llama_pos>(i);
    batch.n_seq_id[i] = 1;
    batch.seq_id[i][0] = 0;
    batch.logits[i] = 1;
  }
  batch.n_tokens = static_cast<int32_t>(n_tokens);
  if (llama_decode(context, batch) != 0) return fail("the tokens cannot be computed");

  const int n_vocab = llama_vocab_n_tokens(llama_model_get_vocab(model));
  std::FILE* out = std::fopen(argv[3], "wb");
  if (out == nullptr) return fail("the output cannot be written");
  for (uint32_t i = 0; i < n_tokens; ++i) {
    const float* row = llama_get_logits_ith(context, static_cast<int32_t>(i));
    std::fwrite(row, sizeof(float), static_cast<size_t>(n_vocab), out);
  }
  if (std::fclose(out) != 0) return fail("the output cannot be written");
  std::printf("%d\n", n_vocab);
  return 0;
}
