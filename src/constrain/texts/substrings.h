#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "constrain/texts/dfa.h"

namespace pleiad::constrain {

/// The texts that some chunks that follow each other make, the empty one among them. Nothing where
/// it takes more than `steps`, from which what it took is subtracted: a text that repeats itself
/// takes the square of its length.
std::optional<Dfa> substrings(const std::vector<std::string>& chunks, std::size_t& steps);

/// A text of well-formed UTF-8 cut into words (letters, digits and '_'), white space and what else
/// stands between them, each as long as it is.
std::vector<std::string> words_of(std::string_view text);

/// Cut into its characters.
std::vector<std::string> characters_of_text(std::string_view text);

}  // namespace pleiad::constrain
