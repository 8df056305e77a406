#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pleiad::media {

/// What pdftotext writes of so many pages, one by one: a form feed ends each. Nothing where there
/// are more or fewer, as where a page has form feeds of its own.
std::optional<std::vector<std::string_view>> split_pages(std::string_view text,
                                                         std::size_t n_pages);

/// A page's text for a reader: UTF-8 without control characters, no space at ends of lines, at most
/// one empty line in a row, none at its beginning and end.
std::string clean_page(std::string_view text);

/// Whether a page says anything in its text: some letters or digits that are real characters. A
/// scan has none, or a stamp; fonts without Unicode give what nobody can read.
bool has_readable_text(std::string_view text);

}  // namespace pleiad::media
