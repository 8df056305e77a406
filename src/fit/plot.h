#pragma once

#include <vector>

#include "chart/xy_chart.h"
#include "fit/advice.h"

namespace pleiad::fit {

/// Decode rate over read bandwidth, both logarithmic: for each member of the
/// question a line of predictions in its first type, its own point on this
/// machine with its error, and what was published with a known bandwidth.
chart::XyChart decode_chart(const Question& question, const Machine& machine);

}  // namespace pleiad::fit
