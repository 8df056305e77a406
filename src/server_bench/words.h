#pragma once

#include <span>
#include <string_view>

namespace pleiad::server_bench {

/// English nouns and a few others, in lower case; no word twice.
std::span<const std::string_view> words();

}  // namespace pleiad::server_bench
