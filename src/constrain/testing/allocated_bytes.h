#pragma once

#include <cstddef>

namespace pleiad::constrain {

/// Those that `new` gave to this thread so far, whether or not they were given back.
std::size_t allocated_bytes();

}  // namespace pleiad::constrain
