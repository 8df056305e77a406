#include "formats/npy/writer.h"

#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/error.h"

namespace pleiad::npy {

Writer::Writer(std::filesystem::path path, std::int64_t rows, std::int64_t cols)
    : path_(std::move(path)), temporary_(path_), missing_(rows * cols) {
  temporary_ += fmt::format(".{}.part", ::getpid());
  file_ = std::fopen(temporary_.c_str(), "wb");
  if (!file_) throw Error("{}: cannot write: {}", path_.string(), errno_text(errno));
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
  if (std::fwrite(preamble.data(), 1, preamble.size(), file_) != preamble.size()) fail(errno);
}

Writer::~Writer() {
  if (!file_) return;
  std::fclose(file_);
  std::error_code ignored;
  std::filesystem::remove(temporary_, ignored);
}

void Writer::fail(int error_number) {
  throw Error("{}: cannot write: {}", path_.string(), errno_text(error_number));
}

void Writer::write(std::span<const float> values) {
  CHECK(static_cast<std::int64_t>(values.size()) <= missing_);
  if (std::fwrite(values.data(), sizeof(float), values.size(), file_) != values.size()) fail(errno);
  missing_ -= static_cast<std::int64_t>(values.size());
}

void Writer::finish() {
  CHECK(missing_ == 0, "{} values missing", missing_);
  if (std::fflush(file_) != 0 || ::fsync(::fileno(file_)) != 0) {
    // A pipe or a special file cannot be synced, and need not be.
    if (errno != EINVAL && errno != EROFS) fail(errno);
  }
  if (std::fclose(std::exchange(file_, nullptr)) != 0) fail(errno);
  std::error_code error;
  std::filesystem::rename(temporary_, path_, error);
  if (error) {
    std::error_code ignored;
    std::filesystem::remove(temporary_, ignored);
    throw Error("{}: cannot write: {}", path_.string(), error.message());
  }
}

}  // namespace pleiad::npy
