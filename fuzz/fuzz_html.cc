// Any bytes at all, made text and read as an HTML page. What a page is made into is in proportion
// to it.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "media/documents/markup/html_text.h"
#include "media/documents/text_encoding.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pleiad::media;
  const auto decoded = decode_text(std::as_bytes(std::span(data, size)));
  if (!decoded) return 0;
  const auto text = html_to_text(decoded.value().text);
  if (!text && text.message().empty()) std::abort();
  if (text && text.value().text.size() > 64 * size + 1000) std::abort();
  return 0;
}
