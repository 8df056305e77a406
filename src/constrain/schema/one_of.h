#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace pleiad::constrain {

/// Whether a keyword is one of a list.
template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace pleiad::constrain
