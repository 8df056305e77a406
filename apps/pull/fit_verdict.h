#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "fit/verdict.h"
#include "pull/known_models.h"
#include "pull/source.h"

namespace pleiad::apps {

/// Whether a model that is offered can be run with the memory that there is.
struct FitVerdict {
  std::uint64_t needed_bytes = 0;  // with a conversation of 8,192 tokens
  std::uint64_t memory_bytes = 0;
  bool by_shape = false;  // it is known which member of the family it is, in which type; otherwise
                          // its files are taken for what it needs
  fit::Judgement judgement;  // of memory alone
  std::string instead;       // where it does not fit: a name that does; empty: none
};

/// Of memory alone, however slow it would be.
fit::Judgement judge_memory(std::uint64_t needed_bytes, std::uint64_t memory_bytes);

FitVerdict judge_offer(const pull::Offer& offer, std::uint64_t memory_bytes);

/// "needs about 3.3 GB with a conversation of 8,192 tokens, 14.2 GB are free: comfortable"
std::string fit_text(const FitVerdict& verdict);

/// Bytes of a known model as they are predicted; of its text model alone.
struct KnownSize {
  std::uint64_t file_bytes = 0;
  std::uint64_t memory_bytes = 0;
};
KnownSize size_of(const pull::KnownModel& model);

}  // namespace pleiad::apps
