#pragma once

#include <cstdint>

namespace pleiad::api {

/// The most that a body may have. A refused one costs nobody anything; an accepted one is kept,
/// parsed and tokenized.
constexpr std::uint64_t kAnswerBodyBytes = 64U << 20;  // conversations, with pictures in them
constexpr std::uint64_t kTextBodyBytes = 8U << 20;     // texts to be embedded
constexpr std::uint64_t kRecipeBodyBytes = 4U << 20;   // a new model: its files, system prompt,
                                                       // messages, licenses
constexpr std::uint64_t kNameBodyBytes = 64U << 10;    // all else names a model, or little more

}  // namespace pleiad::api
