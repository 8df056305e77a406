#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
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
  std::optional<int> picture_budget =
      {};                    // tokens of a picture unless told otherwise; empty: it sees none
  std::string blind = {};    // why not: "has no vision tower ..."
  PromptTowers towers = {};  // what else media are read for
};

/// A file to attach, and perhaps a question, as typed behind a command.
struct AttachWish {
  ShownMedia::Kind kind = ShownMedia::Kind::picture;
  std::string typed;
};

struct CommandOutcome {
  std::string output;                     // to print
  bool failed = false;                    // output says what was wrong
  bool leave = false;                     // /bye
  bool forget_cache = false;              // the conversation was replaced
  bool retry = false;                     // the last message is to be answered anew
  std::optional<std::string> model = {};  // another model is to answer; "": which are there?
  std::optional<AttachWish> attach = {};
  std::optional<std::int64_t> context_length = {};  // the context is to be as long, in tokens
};

/// True for a line that is meant for the program and not for the model.
bool is_command(std::string_view line);

/// The commands, without their slashes.
std::span<const std::string_view> command_words();
/// The words that may follow /show.
std::span<const std::string_view> show_words();

/// Carries out what the conversation alone is needed for; the outcome says what else is to be done.
/// Never throws for what the user typed.
CommandOutcome run_command(std::string_view line, ChatState& state, const ModelFacts& facts);

}  // namespace pleiad::apps
