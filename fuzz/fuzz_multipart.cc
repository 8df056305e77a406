// Bodies of forms: the first line is the type, the rest the body.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "http/multipart.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t line = input.find('\n');
  if (line == std::string_view::npos) return 0;
  const std::string_view body = input.substr(line + 1);
  const auto parts = pleiad::http::parse_multipart(body, input.substr(0, line));
  if (!parts) return 0;
  CHECK(parts.value().size() <= pleiad::http::kMostFormParts);
  for (const pleiad::http::FormPart& part : parts.value()) {
    CHECK(part.content.data() >= body.data());
    CHECK(part.content.data() + part.content.size() <= body.data() + body.size());
  }
  return 0;
}
