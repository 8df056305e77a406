#pragma once

#include <string_view>

#include "base/result.h"
#include "media/documents/markup/converted_text.h"

namespace pleiad::media {

/// What a reader of an HTML page sees of it, as text: headings, paragraphs, points of lists, rows
/// of tables, the words that stand for pictures. Scripts, styles, what is hidden, addresses of
/// links and attributes are left out; entities are the characters that they name. Of damaged pages
/// what libxml2's parser makes of them.
///
/// `page` is UTF-8, whatever the page says of itself. It is parsed in this process; pages of
/// strangers go to DocumentReader, which calls this in a confined one.
Result<ConvertedText> html_to_text(std::string_view page);
}  // namespace pleiad::media
