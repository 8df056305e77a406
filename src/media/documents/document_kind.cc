#include "media/documents/document_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/ascii.h"
#include "base/text_format.h"
#include "media/documents/text_encoding.h"

namespace pleiad::media {
namespace {

constexpr std::string_view kPdf = "%PDF-";
constexpr std::string_view kZip = "PK\x03\x04";
constexpr std::size_t kPdfBeginsWithin = 1024;  // as poppler and other readers look for it
constexpr std::size_t kPageBeginsWithin = 4096;

constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kFormats = {{
    {".md", "Markdown"},
    {".markdown", "Markdown"},
    {".csv", "CSV"},
    {".tsv", "TSV"},
    {".html", "HTML"},
    {".htm", "HTML"},
    {".xhtml", "HTML"},
    {".json", "JSON"},
    {".xml", "XML"},
}};

std::string_view skip_space(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n\f"), text.size()));
  return text;
}

/// Behind spaces, comments and processing instructions.
std::string_view skip_prologue(std::string_view text) {
  for (;;) {
    text = skip_space(text);
    const bool is_comment = text.starts_with("<!--");
    if (!is_comment && !text.starts_with("<?")) return text;
    const std::string_view end = is_comment ? "-->" : "?>";
    const std::size_t at = text.find(end, is_comment ? 4 : 2);
    if (at == std::string_view::npos) return {};
    text.remove_prefix(at + end.size());
  }
}

bool is_html_page(std::string_view text) {
  const std::string beginning =
      ascii_lower(skip_prologue(text.substr(0, kPageBeginsWithin)).substr(0, 20));
  for (const char* tag : {"<!doctype html", "<html", "<head", "<body"}) {
    const std::string_view found(beginning);
    if (!found.starts_with(tag)) continue;
    const std::string_view rest = found.substr(std::string_view(tag).size());
    if (rest.empty() || std::string_view(" >\t\r\n\f/").find(rest[0]) != std::string_view::npos) {
      return true;
    }
  }
  return false;
}

/// What is none of ours but often sent; empty where it is not known.
std::string_view known_other(std::string_view bytes) {
  if (bytes.starts_with("\xD0\xCF\x11\xE0")) {
    return "is a file of Word, Excel or PowerPoint in their form of before 2007, or one with a "
           "password: save it as DOCX or PDF";
  }
  return {};
}

}  // namespace

std::string not_a_document(std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (const std::string_view known = known_other(text); !known.empty()) return std::string(known);
  std::string beginning;
  for (const char c : text.substr(0, 8)) {
    beginning += fmt::format(" {:02x}", static_cast<unsigned char>(c));
  }
  return fmt::format(
      "is not a document: expected PDF, DOCX, HTML or text, found {} bytes that begin{}",
      format_count(text.size()), beginning);
}

std::string_view text_format_of_name(std::string_view name) {
  const std::string lowered = ascii_lower(name);
  for (const auto& [ending, format] : kFormats) {
    if (lowered.ends_with(ending)) return format;
  }
  return "text";
}

std::optional<DocumentKind> sniff_document(std::span<const std::byte> bytes,
                                           std::string_view name) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (skip_space(text.substr(0, kPdfBeginsWithin)).starts_with(kPdf)) return DocumentKind::pdf;
  if (text.starts_with(kZip)) return DocumentKind::docx;
  if (!begins_as_text(bytes)) {
    const bool has_pdf = text.substr(0, kPdfBeginsWithin).find(kPdf) != std::string_view::npos;
    return has_pdf ? std::optional(DocumentKind::pdf) : std::nullopt;
  }
  if (is_html_page(text)) return DocumentKind::html;
  const bool is_called_html = text_format_of_name(name) == "HTML";
  if (is_called_html && skip_prologue(text).starts_with('<')) return DocumentKind::html;
  return DocumentKind::text;
}

}  // namespace pleiad::media
