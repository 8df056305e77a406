#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pleiad::apps {

/// "2,45,107" (commas, white space, or both) -> ids. Throws Error that names
/// what is not a token id below vocab_size.
std::vector<std::int32_t> parse_token_list(std::string_view text, std::int64_t vocab_size);

}  // namespace pleiad::apps
