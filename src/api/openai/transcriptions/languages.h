#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pleiad::api::openai {

/// "Portuguese", of "pt" or of the name itself, in whatever case; nothing where it is none of those
/// that are known here.
std::optional<std::string_view> language_name(std::string_view said);

}  // namespace pleiad::api::openai
