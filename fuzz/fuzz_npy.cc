// Any bytes at all, read as a .npy file. Whatever is wrong must end in LoadError.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "base/error.h"
#include "formats/npy/reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const auto file = pleiad::npy::File::from_bytes(std::as_bytes(std::span(data, size)), "fuzz");
    if (file.rows() == 0) return 0;  // may say to have any number of columns
    std::vector<float> row(static_cast<std::size_t>(file.cols()));
    file.read_row(0, row);
    file.read_row(file.rows() - 1, row);
  } catch (const pleiad::LoadError& error) {
    if (error.what()[0] == '\0') std::abort();
  }
  return 0;
}
