#pragma once

#include <cstdint>
#include <functional>

namespace pleiad::eval {

/// Told as work goes on: how much is done and how much there is (tokens of a text,
/// questions of the battery); false stops it.
using EvalProgress = std::function<bool(std::int64_t done, std::int64_t total)>;

}  // namespace pleiad::eval
