#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace pleiad {

/// "3.9 GB", "812 KB", "17 bytes": decimal units, as disks are sold.
std::string format_bytes(std::uint64_t bytes);

/// "1,406,912"
std::string format_count(std::uint64_t count);

/// "812 us", "34.1 ms", "2.04 s", "3 min 20 s"
std::string format_seconds(double seconds);

/// Text that is safe to show in a one-line message: as terminal_text(), with tabs and ends of
/// lines as \xNN too, and cut with an ellipsis where it is longer than `limit` bytes.
std::string printable(std::string_view text, std::size_t limit = 80);

}  // namespace pleiad
