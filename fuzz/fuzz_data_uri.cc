// A data: URI, and base64 alone, is read or refused, never anything else. What was decoded is what
// its own encoding decodes to.
#include <cstdint>
#include <string>
#include <string_view>

#include "api/common/data_uri.h"
#include "base/base64.h"
#include "base/check.h"

namespace {

using namespace pleiad;

void check_base64(std::string_view text) {
  const auto bytes = decode_base64(text);
  if (!bytes) return;
  const std::string again = encode_base64(bytes.value());
  CHECK(again.size() <= text.size());
  const auto decoded = decode_base64(again);
  CHECK(decoded.ok() && decoded.value() == bytes.value());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_base64(text);
  const std::string uri = "data:" + std::string(text);
  CHECK(api::is_data_uri(uri));
  const auto read = api::read_data_uri(uri);
  if (read) CHECK(read.value().bytes.size() <= size);
  return 0;
}
