#include "formats/npy/writer.h"

#include <fmt/format.h>

#include <string>

#include "base/check.h"

namespace pleiad::npy {

Writer::Writer(const std::filesystem::path& path, std::int64_t rows, std::int64_t cols)
    : file_(path), missing_(rows * cols) {
  // Format version 1.0: magic, version, header length, a Python dict padded so
  // that the data starts at a multiple of 64.
  std::string header =
      fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {}), }}", rows, cols);
  constexpr std::size_t kPreamble = 10;
  while ((kPreamble + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string preamble("\x93NUMPY\x01\x00", 8);
  preamble += static_cast<char>(header.size() & 0xFF);
  preamble += static_cast<char>(header.size() >> 8);
  preamble += header;
  file_.write(std::as_bytes(std::span(preamble)));
}

void Writer::write(std::span<const float> values) {
  CHECK(static_cast<std::int64_t>(values.size()) <= missing_);
  file_.write(std::as_bytes(values));
  missing_ -= static_cast<std::int64_t>(values.size());
}

void Writer::finish() {
  CHECK(missing_ == 0, "{} values missing", missing_);
  file_.finish();
}

}  // namespace pleiad::npy
