#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "apps/common/environment.h"
#include "apps/common/model_flags.h"
#include "engine/media/prompt_media.h"
#include "model/checkpoint.h"
#include "model/model.h"

namespace pleiad::apps {

/// The ids of --tokens or, where that is given, of a file. Throws Error: the file cannot
/// be read, what stands there is no token, more tokens than the context holds.
std::vector<std::int32_t> read_tokens(const std::string& tokens, const std::string& tokens_file,
                                      const ModelFlags& flags, const Checkpoint& checkpoint);

/// Throws Error where so many tokens are more than the context holds.
void check_length(std::size_t n_tokens, const ModelFlags& flags, const Checkpoint& checkpoint);

/// Which kernels compute the tokens, and what else of them is wanted.
struct LogitsOptions {
  /// generation: one token at a time, as if each had just been chosen.
  Phase phase = Phase::prompt;
  /// Gets what the routers say, whole rows in order, [n, n_layers * n_experts]; may be empty.
  std::function<void(std::span<const float>)> take_router;
};

/// The logits of every token (after the softcap), with progress on the terminal; pictures are
/// encoded first, and there are none where phase is generation. `take`
/// gets whole rows in order, [n, vocab_size]; what it throws ends the work. Returns what
/// computed, for people.
std::string compute_logits(const ModelFlags& flags, const Environment& environment,
                           const Checkpoint& checkpoint, const PromptView& prompt,
                           const std::function<void(std::span<const float>)>& take,
                           const LogitsOptions& options = {});

}  // namespace pleiad::apps
