#pragma once

#include <cstddef>
#include <string_view>

namespace pleiad::terminal {

/// Columns that a terminal gives to a character: 0 (marks, joiners), 1 or 2 (East Asian wide,
/// emoji). The same on every system: the C library's answer depends on its age and on the language.
/// Terminals differ where characters are joined (families, flags): most add the widths up, as this
/// does.
int display_width(char32_t character);

/// Columns of a text without controls; bytes that are no UTF-8 count one each.
int display_width(std::string_view text);

/// Bytes of what a reader calls one character at the start of `text` (not empty): the character,
/// marks and selectors after it, what a zero-width joiner joins, a flag's two letters. A byte that
/// is no UTF-8, a control or an end of line stands alone.
std::size_t cluster_length(std::string_view text);

/// Of the last such character of `text` (not empty).
std::size_t last_cluster_length(std::string_view text);

}  // namespace pleiad::terminal
