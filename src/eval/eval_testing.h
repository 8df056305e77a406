#pragma once

#include <string>
#include <vector>

#include "backend/cpu/cpu_backend.h"
#include "base/testing/paths.h"
#include "engine/chat.h"
#include "model/checkpoint.h"
#include "model/gemma4/gemma4.h"
#include "text/token.h"

namespace pleiad::eval {

inline constexpr text::TokenId kBos = 2;

/// A tiny golden checkpoint on a backend of its own.
struct TinyModel {
  explicit TinyModel(const std::string& family, int n_threads = 1, int max_rows = 8,
                     int max_logit_rows = 8)
      : checkpoint(Checkpoint::open(golden_path("models/") + family)),
        backend({.isa = "", .n_threads = n_threads, .max_rows = max_rows}),
        model(checkpoint, backend, {.max_rows = max_rows, .max_logit_rows = max_logit_rows}) {}

  Checkpoint checkpoint;
  cpu::CpuBackend backend;
  gemma4::Gemma4 model;
};

inline std::vector<text::TokenId> some_tokens(std::size_t n) {
  std::vector<text::TokenId> tokens(n);
  for (std::size_t i = 0; i < n; ++i) tokens[i] = static_cast<text::TokenId>(10 + i * 37 % 200);
  return tokens;
}

/// A reply that says this and nothing more.
inline ChatReply saying(std::string text, std::int64_t n_tokens = 100) {
  ChatReply reply;
  reply.reply.content = std::move(text);
  reply.stats.generated_tokens = n_tokens;
  return reply;
}

inline ChatReply calling(std::string name, Json arguments) {
  ChatReply reply;
  text::ReplyEvent call;
  call.kind = text::ReplyEvent::Kind::tool_call;
  call.name = std::move(name);
  call.arguments = std::move(arguments);
  reply.reply.tool_calls.push_back(std::move(call));
  return reply;
}

}  // namespace pleiad::eval
