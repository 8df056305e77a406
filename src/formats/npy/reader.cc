#include "formats/npy/reader.h"

#include <charconv>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "base/text_format.h"
#include "tensor/checked_math.h"

namespace pleiad::npy {
namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);
constexpr std::size_t kMaxHeader = 65'536;

/// The header's text and where the data begins.
struct Layout {
  std::string_view header;
  std::size_t data_start = 0;
};

Layout read_array_layout(std::string_view bytes, const std::string& file) {
  if (!bytes.starts_with(kMagic) || bytes.size() < 12) {
    throw LoadError("{}: not a NumPy file (.npy)", file);
  }
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const unsigned version = byte(6);
  if (version < 1 || version > 3) {
    throw LoadError("{}: version {} of the .npy format is not known", file, version);
  }
  // Two bytes of length in version 1, four afterwards.
  std::size_t start = 10;
  std::size_t size = byte(8) | std::size_t{byte(9)} << 8;
  if (version > 1) {
    start = 12;
    size |= std::size_t{byte(10)} << 16 | std::size_t{byte(11)} << 24;
  }
  if (size > kMaxHeader || size > bytes.size() - start) {
    throw LoadError("{}: a header of {} bytes in a file of {}", file, size, bytes.size());
  }
  return {bytes.substr(start, size), start + size};
}

/// What stands behind 'key': in the header, a Python dictionary with no strings but
/// names and a type; empty where there is no such key.
std::string_view value_of(std::string_view header, std::string_view key) {
  const std::string quoted = fmt::format("'{}':", key);
  const std::size_t at = header.find(quoted);
  if (at == header.npos) return {};
  header.remove_prefix(at + quoted.size());
  while (header.starts_with(' ')) header.remove_prefix(1);
  return header;
}

/// "(3, 5)" or "(3, 5,)" -> 3 and 5
std::optional<std::pair<std::int64_t, std::int64_t>> two_numbers(std::string_view text) {
  std::int64_t numbers[2] = {};
  if (!text.starts_with('(')) return std::nullopt;
  text.remove_prefix(1);
  for (int i = 0; i < 2; ++i) {
    while (text.starts_with(' ')) text.remove_prefix(1);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), numbers[i]);
    if (error != std::errc() || numbers[i] < 0) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (i == 0) {
      if (!text.starts_with(',')) return std::nullopt;
      text.remove_prefix(1);
    }
  }
  if (text.starts_with(',')) text.remove_prefix(1);
  if (!text.starts_with(')')) return std::nullopt;
  return std::pair(numbers[0], numbers[1]);
}

}  // namespace

File File::from_bytes(std::span<const std::byte> bytes, const std::string& name) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const Layout layout = read_array_layout(text, name);
  const auto shape = two_numbers(value_of(layout.header, "shape"));
  const bool fits = value_of(layout.header, "descr").starts_with("'<f4'") &&
                    value_of(layout.header, "fortran_order").starts_with("False") && shape;
  if (!fits) {
    throw LoadError("{}: expected float32 in two dimensions, rows after rows; found {}", name,
                    printable(layout.header, 200));
  }
  File file;
  file.name_ = name;
  file.rows_ = shape->first;
  file.cols_ = shape->second;
  file.values_ = bytes.subspan(layout.data_start);
  const auto count =
      checked_mul(static_cast<std::uint64_t>(file.rows_), static_cast<std::uint64_t>(file.cols_));
  const auto size = count ? checked_mul(*count, sizeof(float)) : std::nullopt;
  if (size != file.values_.size()) {
    throw LoadError("{}: [{}, {}] values do not fill {} bytes", name, file.rows_, file.cols_,
                    file.values_.size());
  }
  return file;
}

File File::open(const std::filesystem::path& path) {
  MappedFile mapped(path);
  File file = read_unchanged(mapped, [&] { return from_bytes(mapped.bytes(), path.string()); });
  file.mapped_ = std::move(mapped);
  return file;
}

void File::read_row(std::int64_t row, std::span<float> out) const {
  CHECK(row >= 0 && row < rows_ && std::cmp_equal(out.size(), cols_), "row {} of {}, {} of {}", row,
        rows_, out.size(), cols_);
  std::memcpy(out.data(), values_.data() + static_cast<std::size_t>(row) * out.size_bytes(),
              out.size_bytes());
  if (mapped_) mapped_->check_unchanged();
}

}  // namespace pleiad::npy
