// Any bytes at all, taken for a document by their content, and as text. What comes out is UTF-8
// without control characters but tabs and ends of lines; what does not is refused with a sentence.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>

#include "base/utf8.h"
#include "media/documents/document_kind.h"
#include "media/documents/page_ranges.h"
#include "media/documents/pdf/pdf_text.h"
#include "media/documents/text_encoding.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void require_clean(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = pleiad::utf8_length(text);
    const char32_t c = pleiad::utf8_code_point(text);
    require(length > 0 && (c >= 0x20 || c == '\t' || c == '\n') && (c < 0x7F || c >= 0xA0));
    text.remove_prefix(length);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pleiad::media;
  const auto bytes = std::as_bytes(std::span(data, size));
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static_cast<void>(sniff_document(bytes, "x.html"));
  const auto decoded = decode_text(bytes);
  if (decoded) {
    require_clean(decoded.value().text);
    require(decoded.value().text.size() <= 3 * size);
  } else {
    require(!decoded.message().empty());
  }
  require_clean(clean_page(text));
  static_cast<void>(has_readable_text(text));
  if (const auto ranges = parse_page_ranges(text)) {
    if (const auto pages = pages_of(ranges.value(), 1000)) require(pages.value().size() <= 1000);
  }
  return 0;
}
