#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "apps/run/chat_state.h"

namespace pleiad::apps {

/// What the terminal has to know to answer /show.
struct ModelFacts {
  std::string description;  // "Gemma 4 E2B, q4_0, 1.4 GB"
  std::string backend;      // "cpu (avx512, 2 threads)"
  std::int64_t context_length = 0;
  std::size_t vocab_size = 0;
  std::uint64_t cache_bytes = 0;  // of keys and values, when the context is full; 0: not known
  std::filesystem::path home;     // what ~ stands for
};

struct CommandOutcome {
  std::string output;         // to print
  bool failed = false;        // output says what was wrong
  bool leave = false;         // /bye
  bool forget_cache = false;  // the conversation was replaced
};

/// True for a line that is meant for the program and not for the model.
bool is_command(std::string_view line);

/// Carries out /help, /set, /show, /clear, /save, /load, /bye on the
/// conversation. Never throws for what the user typed.
CommandOutcome run_command(std::string_view line, ChatState& state, const ModelFacts& facts);

}  // namespace pleiad::apps
