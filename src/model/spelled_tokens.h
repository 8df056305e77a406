#pragma once

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

namespace pleiad {

/// The tokens that a tokenizer.json spells so, among those that it adds to its vocabulary. Those
/// that it has not are empty, and so are all of a file that is none: who makes a tokenizer of it
/// says what is wrong. Throws LoadError where it cannot be opened.
std::vector<std::optional<std::int32_t>> added_tokens_spelled(
    const std::filesystem::path& tokenizer_json, std::initializer_list<std::string_view> pieces);

}  // namespace pleiad
