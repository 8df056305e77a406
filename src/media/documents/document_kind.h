#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace pleiad::media {

/// How a document is read.
enum class DocumentKind : std::uint8_t { pdf, docx, html, text };

/// By the content: what begins as a PDF, a ZIP file or an HTML page is taken as that, and what is
/// text as text. Empty where it is none of these: pictures, sounds, programs, other archives. The
/// name, which may be empty, tells an HTML page without a beginning of its own ("x.html") from
/// text, and nothing else.
std::optional<DocumentKind> sniff_document(std::span<const std::byte> bytes,
                                           std::string_view name = {});

/// Of bytes that are none: what was expected and what was found, a sentence without its subject; of
/// files that are often sent instead, what to save them as.
std::string not_a_document(std::span<const std::byte> bytes);

/// What text of that name is called: "Markdown" of "notes.md", "CSV", "HTML" (read as source where
/// it is no page), else "text".
std::string_view text_format_of_name(std::string_view name);

}  // namespace pleiad::media
