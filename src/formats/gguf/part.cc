#include "formats/gguf/part.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/text_format.h"
#include "formats/gguf/ggml_types.h"
#include "formats/not_a_model.h"
#include "formats/problem_list.h"
#include "tensor/checked_math.h"

namespace pleiad::gguf {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are read as they lie");

// Far above any model, far below what could exhaust memory.
constexpr std::uint64_t kMaxKeys = 100'000;
constexpr std::uint64_t kMaxTensors = 1'000'000;
constexpr std::uint64_t kMaxKeyLength = 65'535;
constexpr std::uint64_t kMaxTensorNameLength = 1'024;
constexpr std::uint64_t kMaxStringLength = 1U << 30;
constexpr std::uint32_t kMaxDimensions = 4;
constexpr std::uint64_t kMaxAlignment = 1U << 20;
constexpr int kMaxArrayDepth = 4;
// A key, its type and one byte of value; a name, a dimension count, a type, an offset.
constexpr std::uint64_t kSmallestPair = 8 + 1 + 4 + 1;
constexpr std::uint64_t kSmallestTensorInfo = 8 + 1 + 4 + 4 + 8;

/// Reads the header of a file from front to back and never beyond its end.
class Cursor {
 public:
  Cursor(std::span<const std::byte> bytes, const std::string& file) : bytes_(bytes), file_(file) {}

  std::uint64_t position() const { return position_; }
  std::uint64_t remaining() const { return bytes_.size() - position_; }

  std::span<const std::byte> take(std::uint64_t size, std::string_view what) {
    if (size > remaining()) {
      throw LoadError(
          "{}: the file ends inside {}: {} more bytes are needed, {} are left; the file is "
          "truncated or damaged",
          file_, what, size, remaining());
    }
    const auto taken = bytes_.subspan(position_, size);
    position_ += size;
    return taken;
  }

  template <typename T>
  T number(std::string_view what) {
    T value;
    std::memcpy(&value, take(sizeof value, what).data(), sizeof value);
    return value;
  }

  std::string_view string(std::uint64_t max_length, std::string_view what) {
    const auto length = number<std::uint64_t>(what);
    if (length > max_length) {
      throw LoadError("{}: {}: a string of {} bytes is longer than the limit of {}", file_, what,
                      length, max_length);
    }
    const auto bytes = take(length, what);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

  /// How many things the header claims to have, none smaller than `smallest` bytes.
  std::uint64_t count(std::uint64_t max_count, std::uint64_t smallest, std::string_view what) {
    const auto claimed = number<std::uint64_t>(what);
    if (claimed > max_count) {
      throw LoadError("{}: the header claims {} {}; the limit is {}", file_, claimed, what,
                      max_count);
    }
    if (claimed > remaining() / smallest) {
      throw LoadError(
          "{}: the header claims {} {}, but only {} bytes follow; the file is truncated or damaged",
          file_, claimed, what, remaining());
    }
    return claimed;
  }

  const std::string& file() const { return file_; }

 private:
  std::span<const std::byte> bytes_;
  const std::string& file_;
  std::uint64_t position_ = 0;
};

ValueType read_type(Cursor& cursor, std::string_view what) {
  const auto type = cursor.number<std::uint32_t>(what);
  if (type >= kValueTypeCount) {
    throw LoadError("{}: {}: unknown value type {}", cursor.file(), what, type);
  }
  return static_cast<ValueType>(type);
}

Value read_value(Cursor& cursor, ValueType type, std::string_view what, int depth);

Value read_array(Cursor& cursor, std::string_view what, int depth) {
  if (depth >= kMaxArrayDepth) {
    throw LoadError("{}: {}: arrays are nested more than {} deep", cursor.file(), what,
                    kMaxArrayDepth);
  }
  Value value;
  value.type = ValueType::array;
  value.element_type = read_type(cursor, what);
  value.count = cursor.number<std::uint64_t>(what);
  const std::size_t size = fixed_size(value.element_type);
  // Strings and arrays take at least their own length field.
  const std::uint64_t smallest = size != 0 ? size : sizeof(std::uint64_t);
  if (value.count > cursor.remaining() / smallest) {
    throw LoadError(
        "{}: {}: an array of {} {} does not fit into the {} bytes that are left; the file is "
        "truncated or damaged",
        cursor.file(), what, value.count, name(value.element_type), cursor.remaining());
  }
  if (size != 0) {
    value.payload = cursor.take(value.count * size, what);
    return value;
  }
  Cursor start = cursor;
  for (std::uint64_t i = 0; i < value.count; ++i) {
    read_value(cursor, value.element_type, what, depth + 1);
  }
  value.payload = start.take(cursor.position() - start.position(), what);
  return value;
}

Value read_value(Cursor& cursor, ValueType type, std::string_view what, int depth) {
  if (type == ValueType::array) return read_array(cursor, what, depth);
  Value value;
  value.type = type;
  if (type == ValueType::string) {
    const std::string_view text = cursor.string(kMaxStringLength, what);
    value.payload = std::as_bytes(std::span(text));
  } else {
    value.payload = cursor.take(fixed_size(type), what);
  }
  return value;
}

Metadata read_metadata(Cursor& cursor, std::uint64_t count) {
  Metadata metadata(cursor.file());
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::string_view key =
        cursor.string(kMaxKeyLength, fmt::format("the name of metadata key {}", i));
    if (key.empty()) throw LoadError("{}: metadata key {} has no name", cursor.file(), i);
    const std::string what = fmt::format("metadata key '{}'", printable(key));
    const ValueType type = read_type(cursor, what);
    if (!metadata.add(key, read_value(cursor, type, what, 0))) {
      throw LoadError("{}: {} appears twice", cursor.file(), what);
    }
  }
  return metadata;
}

std::uint64_t read_alignment(const Metadata& metadata, const std::string& file) {
  const Value* value = metadata.find("general.alignment");
  if (value == nullptr) return 32;
  const auto alignment = metadata.find_integer("general.alignment").value();
  if (alignment < 1 || !std::has_single_bit(static_cast<std::uint64_t>(alignment)) ||
      static_cast<std::uint64_t>(alignment) > kMaxAlignment) {
    throw LoadError(
        "{}: metadata key 'general.alignment': expected a power of two up to {}, found {}", file,
        kMaxAlignment, alignment);
  }
  return static_cast<std::uint64_t>(alignment);
}

/// A tensor whose data has not been located yet.
struct ListedTensor {
  TensorInfo info;
  std::uint64_t offset = 0;              // from the start of the tensor data
  std::optional<std::uint64_t> n_bytes;  // empty: the type is not known
};

/// The bytes of a tensor, or nothing after telling why they cannot be counted.
std::optional<std::uint64_t> count_bytes(const ListedTensor& tensor, ProblemList& problems) {
  const TensorInfo& info = tensor.info;
  const std::string label = printable(info.name);
  if (std::ranges::any_of(info.shape, [](std::int64_t dim) { return dim < 1; })) {
    problems.add("tensor '{}': shape {} has a dimension below 1", label, to_string(info.shape));
    return std::nullopt;
  }
  const GgmlType* type = find_ggml_type(info.ggml_type);
  if (type == nullptr) return std::nullopt;
  const std::uint64_t cols = info.shape.empty() ? 1 : static_cast<std::uint64_t>(info.shape.back());
  if (cols % type->block_size != 0) {
    problems.add("tensor '{}': rows of {} elements do not fill blocks of {} ({})", label, cols,
                 type->block_size, type->name);
    return std::nullopt;
  }
  const auto elements = checked_element_count(info.shape);
  // No block takes more than four bytes per element plus four.
  const auto bytes =
      elements ? checked_mul(*elements / type->block_size, type->block_bytes) : std::nullopt;
  if (!bytes) {
    problems.add("tensor '{}': shape {} has more elements than can be counted", label,
                 to_string(info.shape));
  }
  return bytes;
}

std::vector<ListedTensor> read_tensor_list(Cursor& cursor, std::uint64_t count,
                                           std::uint64_t alignment, ProblemList& problems) {
  std::vector<ListedTensor> tensors;
  tensors.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    ListedTensor& tensor = tensors.emplace_back();
    tensor.info.name = cursor.string(kMaxTensorNameLength, fmt::format("the name of tensor {}", i));
    if (tensor.info.name.empty()) throw LoadError("{}: tensor {} has no name", cursor.file(), i);
    const std::string what = fmt::format("tensor '{}'", printable(tensor.info.name));
    const auto n_dims = cursor.number<std::uint32_t>(what);
    if (n_dims > kMaxDimensions) {
      throw LoadError("{}: {} has {} dimensions; the limit is {}", cursor.file(), what, n_dims,
                      kMaxDimensions);
    }
    bool countable = true;
    for (std::uint32_t dim = 0; dim < n_dims; ++dim) {
      const auto size = cursor.number<std::uint64_t>(what);
      if (!std::in_range<std::int64_t>(size)) countable = false;
      tensor.info.shape.push_back(static_cast<std::int64_t>(size));
    }
    // The file lists the innermost dimension first.
    std::ranges::reverse(tensor.info.shape);
    tensor.info.ggml_type = cursor.number<std::uint32_t>(what);
    const GgmlType* type = find_ggml_type(tensor.info.ggml_type);
    if (type != nullptr) tensor.info.dtype = type->dtype;
    tensor.offset = cursor.number<std::uint64_t>(what);
    if (tensor.offset % alignment != 0) {
      problems.add("{}: offset {} is not a multiple of the alignment {}", what, tensor.offset,
                   alignment);
    }
    if (countable) {
      tensor.n_bytes = count_bytes(tensor, problems);
    } else {
      problems.add("{}: a dimension is larger than can be counted", what);
    }
  }
  return tensors;
}

void check_names(const std::vector<ListedTensor>& tensors, ProblemList& problems) {
  std::vector<std::string_view> names;
  names.reserve(tensors.size());
  for (const ListedTensor& tensor : tensors) names.push_back(tensor.info.name);
  std::ranges::sort(names);
  for (std::size_t i = 1; i < names.size(); ++i) {
    if (names[i] == names[i - 1]) problems.add("tensor '{}' is listed twice", printable(names[i]));
  }
}

/// Every tensor must lie between `data_start` and the end of the file.
void check_extents(const std::vector<ListedTensor>& tensors, std::uint64_t data_start,
                   std::uint64_t file_size, ProblemList& problems) {
  std::uint64_t needed = data_start;
  const ListedTensor* last = nullptr;
  for (const ListedTensor& tensor : tensors) {
    const auto start = checked_add(data_start, tensor.offset);
    const auto end = start ? checked_add(*start, tensor.n_bytes.value_or(0)) : std::nullopt;
    if (!end) {
      problems.add("tensor '{}': offset {} plus size is larger than can be counted",
                   printable(tensor.info.name), tensor.offset);
    } else if (*end > needed) {
      needed = *end;
      last = &tensor;
    }
  }
  if (needed <= file_size) return;
  problems.add(
      "tensor data ends at byte {}{}, but the file has {} bytes: {} bytes are missing, the "
      "download is incomplete",
      needed, last != nullptr ? fmt::format(" ('{}')", printable(last->info.name)) : std::string(),
      file_size, needed - file_size);
}

void check_overlap(const std::vector<ListedTensor>& tensors, ProblemList& problems) {
  std::vector<const ListedTensor*> by_offset;
  by_offset.reserve(tensors.size());
  for (const ListedTensor& tensor : tensors) {
    if (tensor.n_bytes) by_offset.push_back(&tensor);
  }
  std::ranges::sort(by_offset, {}, &ListedTensor::offset);
  for (std::size_t i = 1; i < by_offset.size(); ++i) {
    const ListedTensor& before = *by_offset[i - 1];
    const ListedTensor& tensor = *by_offset[i];
    if (tensor.offset - before.offset < *before.n_bytes) {
      problems.add("tensors '{}' and '{}' overlap", printable(before.info.name),
                   printable(tensor.info.name));
    }
  }
}

std::uint32_t read_version(Cursor& cursor) {
  const auto version = cursor.number<std::uint32_t>("the GGUF version");
  if (version == 2 || version == 3) return version;
  if ((version & 0xFFFFU) == 0 && version != 0) {
    throw LoadError("{}: a big-endian GGUF file; only little-endian files can be read",
                    cursor.file());
  }
  throw LoadError("{}: GGUF version {}; versions 2 and 3 can be read", cursor.file(), version);
}

void check_magic(Cursor& cursor) {
  const auto magic = cursor.take(4, "the first four bytes");
  if (std::memcmp(magic.data(), "GGUF", 4) == 0) return;
  const std::string_view text(reinterpret_cast<const char*>(magic.data()), magic.size());
  throw LoadError("{}: not a GGUF file: it starts with '{}' instead of 'GGUF'", cursor.file(),
                  printable(text));
}

}  // namespace

Part read_part(std::span<const std::byte> bytes, const std::string& file) {
  refuse_what_is_no_model(bytes, file);
  Cursor cursor(bytes, file);
  check_magic(cursor);
  Part part;
  part.version = read_version(cursor);
  const std::uint64_t n_tensors = cursor.count(kMaxTensors, kSmallestTensorInfo, "tensors");
  const std::uint64_t n_keys = cursor.count(kMaxKeys, kSmallestPair, "metadata keys");
  part.metadata = read_metadata(cursor, n_keys);
  const std::uint64_t alignment = read_alignment(part.metadata, file);

  ProblemList problems(file);
  const auto listed = read_tensor_list(cursor, n_tensors, alignment, problems);
  // A file without tensors may end right after its header.
  const std::uint64_t data_start =
      listed.empty() ? cursor.position() : checked_align_up(cursor.position(), alignment).value();
  check_names(listed, problems);
  check_extents(listed, data_start, bytes.size(), problems);
  check_overlap(listed, problems);
  problems.throw_if_any();

  part.tensors.reserve(listed.size());
  for (const ListedTensor& tensor : listed) {
    TensorInfo& info = part.tensors.emplace_back(tensor.info);
    info.data = bytes.subspan(data_start + tensor.offset, tensor.n_bytes.value_or(0));
  }
  return part;
}

}  // namespace pleiad::gguf
