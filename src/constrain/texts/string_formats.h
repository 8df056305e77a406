#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pleiad::constrain {

/// The pattern of a "format" of strings; empty where it asks for nothing that text
/// could break. Nothing for one that is not known.
std::optional<std::string_view> pattern_of_format(std::string_view format);

/// How many characters the texts of a format have at most beside its pattern, and a pattern that
/// only those find something in which are that short anyway: fewer ones, for where nothing counts.
struct FormatLength {
  std::uint32_t most = 0;
  std::string_view pattern_of_short;
};
/// Nothing where the pattern says all.
std::optional<FormatLength> length_of_format(std::string_view format);

/// A pattern that all texts of a format have which are never written, though these may be known to
/// be of it by nobody; nothing where there is none that leaves much.
std::optional<std::string_view> pattern_of_unwritten(std::string_view format);

/// A pattern that whatever anybody takes for such a text has, for where one is forbidden; other
/// texts may have it too. Nothing where there is none that leaves much.
std::optional<std::string_view> pattern_around_format(std::string_view format);

/// Whether all texts of a format that is known have its pattern: of others, such as e-mail
/// addresses, there are texts that are never written.
bool is_written_whole(std::string_view format);

/// The names that are known, for messages.
std::string known_formats();

}  // namespace pleiad::constrain
