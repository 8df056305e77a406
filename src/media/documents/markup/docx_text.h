#pragma once

#include <string_view>

#include "base/result.h"
#include "media/documents/markup/converted_text.h"

namespace pleiad::media {

/// The text of a document of Word (DOCX: ISO/IEC 29500, transitional or strict) in reading order:
/// headings, paragraphs, lists with their numbers, rows of tables, notes behind the paragraph that
/// refers to them, the words that stand for pictures. Pictures, comments, headers, footers and what
/// is hidden or deleted are left out; a warning tells of pictures, comments, headers and footers. A
/// Failure is a sentence without its subject.
///
/// It unpacks and parses in this process; files of strangers go to DocumentReader, which calls this
/// in a confined one.
Result<ConvertedText> docx_to_text(std::string_view file);

}  // namespace pleiad::media
