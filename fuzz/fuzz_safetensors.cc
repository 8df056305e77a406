// Any bytes at all, read as a safetensors file and as an index of shards.
// Whatever is wrong must end in LoadError.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>

#include "base/error.h"
#include "formats/safetensors/file.h"
#include "formats/safetensors/folder.h"

namespace {

volatile unsigned sink = 0;

template <typename Work>
void attempt(Work work) {
  try {
    work();
  } catch (const pleiad::LoadError& error) {
    if (error.what()[0] == '\0') std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  attempt([&] {
    const auto file =
        pleiad::safetensors::File::from_bytes(std::as_bytes(std::span(data, size)), "fuzz");
    for (const pleiad::safetensors::TensorInfo& tensor : file.tensors()) {
      if (file.find_tensor(tensor.name) != &tensor) std::abort();
      if (tensor.data.empty()) continue;
      sink = sink + static_cast<unsigned>(tensor.data.front()) +
             static_cast<unsigned>(tensor.data.back());
    }
  });
  attempt([&] {
    const auto index =
        pleiad::safetensors::parse_shard_index({reinterpret_cast<const char*>(data), size}, "fuzz");
    for (const std::string& shard : index.shards) {
      if (shard.empty() || shard[0] == '/') std::abort();
    }
  });
  return 0;
}
