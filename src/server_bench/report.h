#pragma once

#include <string>

#include "server_bench/result.h"

namespace pleiad::server_bench {

// The same report in each form. A figure that is spoiled is never a number: text has "-" with the
// marks, JSON null and CSV nothing in its place, both with the marks beside; the chart has no bar.

/// Conditions, a table with a row for each shape and model, and what every mark means.
std::string report_as_text(const ServerReport& report, bool markdown);
/// Everything, each answer included.
std::string report_as_json(const ServerReport& report);
/// A line for each row.
std::string report_as_csv(const ServerReport& report);
/// The models beside each other, as SVG.
std::string report_as_chart(const ServerReport& report);

/// "generation", "client_generation", ...
std::string name(Figure figure);
std::string name(LengthControl control);
/// The codes of all marks of a row and its runs, each once: "cache_hit,early_stop".
std::vector<std::string> codes(const Row& row);

}  // namespace pleiad::server_bench
