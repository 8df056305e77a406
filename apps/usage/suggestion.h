#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pleiad::apps {

/// How many letters have to be put in, left out, replaced, or exchanged with their neighbour.
std::size_t typing_distance(std::string_view typed, std::string_view meant);

/// The candidates that somebody who typed `typed` may have meant, closest first: at most three,
/// none where nothing is close. A candidate that begins with what was typed is close.
std::vector<std::string> suggestions(std::string_view typed,
                                     const std::vector<std::string>& candidates);

/// "; did you mean '--top-k' or '--top-p'?", or nothing.
std::string did_you_mean(std::string_view typed, const std::vector<std::string>& candidates);

}  // namespace pleiad::apps
