#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pleiad::store {

/// Those of `names` that someone may have meant who wrote `wanted`, the closest first;
/// three at most.
std::vector<std::string> close_names(std::string_view wanted,
                                     const std::vector<std::string>& names);

}  // namespace pleiad::store
