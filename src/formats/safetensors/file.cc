#include "formats/safetensors/file.h"

#include <simdjson.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/text_format.h"
#include "formats/not_a_model.h"
#include "formats/problem_list.h"
#include "formats/safetensors/element_type.h"
#include "tensor/checked_math.h"

namespace pleiad::safetensors {
namespace {

namespace dom = simdjson::dom;

static_assert(std::endian::native == std::endian::little, "numbers are read as they lie");

constexpr std::uint64_t kMaxHeader = 100'000'000;
constexpr std::size_t kMaxDepth = 16;  // a header needs four levels
constexpr std::size_t kMaxDimensions = 8;
constexpr std::size_t kMaxNameLength = 4'096;

/// A tensor whose extent was not checked against the file yet.
struct ListedTensor {
  TensorInfo info;
  std::uint64_t begin = 0;  // from the end of the header
  std::uint64_t end = 0;
};

struct Layout {
  std::uint64_t header_size = 0;
  std::uint64_t data_start = 0;
};

Layout read_layout(std::span<const std::byte> bytes, const std::string& file) {
  Layout layout;
  if (bytes.size() < sizeof layout.header_size) {
    throw LoadError("{}: {} bytes are too few for a safetensors file; the file is truncated", file,
                    bytes.size());
  }
  std::memcpy(&layout.header_size, bytes.data(), sizeof layout.header_size);
  if (layout.header_size > kMaxHeader) {
    throw LoadError(
        "{}: not a safetensors file, or a damaged one: it claims a header of {} bytes; the limit "
        "is {}",
        file, layout.header_size, kMaxHeader);
  }
  layout.data_start = sizeof layout.header_size + layout.header_size;
  if (layout.data_start > bytes.size()) {
    throw LoadError(
        "{}: the header ends at byte {}, but the file has {} bytes: {} bytes are missing, the "
        "download is incomplete",
        file, layout.data_start, bytes.size(), layout.data_start - bytes.size());
  }
  return layout;
}

/// Reads one entry; false after telling what is wrong with it.
bool read_entry(dom::element entry, ListedTensor& tensor, ProblemList& problems) {
  const std::string label = printable(tensor.info.name);
  const auto fail = [&](std::string_view field, std::string_view expected) {
    problems.add("tensor '{}': field '{}': expected {}", label, field, expected);
    return false;
  };
  dom::object object;
  if (entry.get(object) != simdjson::SUCCESS) {
    problems.add("tensor '{}': expected an object", label);
    return false;
  }
  bool has_type = false;
  bool has_shape = false;
  bool has_offsets = false;
  for (const dom::key_value_pair field : object) {
    // A repeated field has two answers, so neither is right.
    bool* seen = field.key == "dtype"          ? &has_type
                 : field.key == "shape"        ? &has_shape
                 : field.key == "data_offsets" ? &has_offsets
                                               : nullptr;
    if (seen == nullptr) {
      problems.add("tensor '{}': unknown field '{}'", label, printable(field.key));
      return false;
    }
    if (std::exchange(*seen, true)) return fail(field.key, "to appear once");
    if (field.key == "dtype") {
      std::string_view type;
      if (field.value.get(type) != simdjson::SUCCESS) return fail("dtype", "a string");
      tensor.info.type = type;
      continue;
    }
    dom::array numbers;
    if (field.value.get(numbers) != simdjson::SUCCESS) {
      return fail(field.key, "an array of numbers");
    }
    std::vector<std::uint64_t> values;
    for (const dom::element element : numbers) {
      std::uint64_t value = 0;
      if (element.get(value) != simdjson::SUCCESS || !std::in_range<std::int64_t>(value)) {
        return fail(field.key, "whole numbers from 0 to 2^63 - 1");
      }
      if (values.size() == kMaxDimensions) return fail(field.key, "at most 8 numbers");
      values.push_back(value);
    }
    if (field.key == "shape") {
      tensor.info.shape.assign(values.begin(), values.end());
    } else {
      if (values.size() != 2 || values[0] > values[1]) {
        return fail("data_offsets", "a begin and an end that is not smaller");
      }
      tensor.begin = values[0];
      tensor.end = values[1];
    }
  }
  if (!has_type) return fail("dtype", "to be there");
  if (!has_shape) return fail("shape", "to be there");
  if (!has_offsets) return fail("data_offsets", "to be there");
  return true;
}

/// The extent must be exactly as large as the shape says.
void check_size(ListedTensor& tensor, ProblemList& problems) {
  const std::string label = printable(tensor.info.name);
  const auto elements = checked_element_count(tensor.info.shape);
  if (!elements) {
    problems.add("tensor '{}': shape {} has a dimension below 1 or too many elements", label,
                 to_string(tensor.info.shape));
    return;
  }
  const ElementType* type = find_element_type(tensor.info.type);
  if (type == nullptr) return;  // only wrong if somebody needs it
  tensor.info.dtype = type->dtype;
  const auto bits = checked_mul(*elements, type->bits);
  if (!bits || *bits % 8 != 0 || *bits / 8 != tensor.end - tensor.begin) {
    problems.add("tensor '{}': {} {} takes {} bytes, but data_offsets [{}, {}] hold {}", label,
                 type->name, to_string(tensor.info.shape),
                 bits ? fmt::format("{}", *bits / 8) : "too many", tensor.begin, tensor.end,
                 tensor.end - tensor.begin);
  }
}

std::vector<ListedTensor> read_header(std::string_view header, const std::string& file,
                                      ProblemList& problems) {
  dom::parser parser;
  dom::element root;
  simdjson::error_code error = parser.allocate(header.size(), kMaxDepth);
  if (error == simdjson::SUCCESS) {
    error = parser.parse(header.data(), header.size()).get(root);
  }
  if (error != simdjson::SUCCESS) {
    throw LoadError("{}: the header is not valid JSON: {}", file, simdjson::error_message(error));
  }
  dom::object object;
  if (root.get(object) != simdjson::SUCCESS) {
    throw LoadError("{}: the header is not a JSON object", file);
  }
  std::vector<ListedTensor> tensors;
  for (const dom::key_value_pair entry : object) {
    if (entry.key == "__metadata__") continue;
    ListedTensor tensor;
    if (entry.key.empty() || entry.key.size() > kMaxNameLength) {
      problems.add("a tensor name has {} bytes; 1 to {} are allowed", entry.key.size(),
                   kMaxNameLength);
      continue;
    }
    tensor.info.name = entry.key;
    if (!read_entry(entry.value, tensor, problems)) continue;
    check_size(tensor, problems);
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

void check_tensor_extents(const std::vector<ListedTensor>& tensors, const Layout& layout,
                          std::uint64_t file_size, ProblemList& problems) {
  // Both below 2^63, so the sum fits.
  std::uint64_t needed = layout.data_start;
  const ListedTensor* last = nullptr;
  for (const ListedTensor& tensor : tensors) {
    if (layout.data_start + tensor.end > needed) {
      needed = layout.data_start + tensor.end;
      last = &tensor;
    }
  }
  if (needed <= file_size) return;
  problems.add(
      "tensor data ends at byte {} ('{}'), but the file has {} bytes: {} bytes are missing, the "
      "download is incomplete",
      needed, printable(last->info.name), file_size, needed - file_size);
}

void check_tensor_overlap(const std::vector<ListedTensor>& tensors, ProblemList& problems) {
  std::vector<const ListedTensor*> by_offset;
  by_offset.reserve(tensors.size());
  for (const ListedTensor& tensor : tensors) by_offset.push_back(&tensor);
  std::ranges::sort(by_offset, {}, &ListedTensor::begin);
  for (std::size_t i = 1; i < by_offset.size(); ++i) {
    if (by_offset[i]->begin < by_offset[i - 1]->end) {
      problems.add("tensors '{}' and '{}' overlap", printable(by_offset[i - 1]->info.name),
                   printable(by_offset[i]->info.name));
    }
  }
}

}  // namespace

File File::from_bytes(std::span<const std::byte> bytes, const std::string& name) {
  refuse_what_is_no_model(bytes, name);
  const Layout layout = read_layout(bytes, name);
  const auto* text = reinterpret_cast<const char*>(bytes.data());
  ProblemList problems(name);
  std::vector<ListedTensor> listed =
      read_header({text + sizeof layout.header_size, layout.header_size}, name, problems);
  std::ranges::sort(
      listed, {}, [](const ListedTensor& tensor) -> std::string_view { return tensor.info.name; });
  for (std::size_t i = 1; i < listed.size(); ++i) {
    if (listed[i].info.name == listed[i - 1].info.name) {
      problems.add("tensor '{}' is listed twice", printable(listed[i].info.name));
    }
  }
  check_tensor_extents(listed, layout, bytes.size(), problems);
  check_tensor_overlap(listed, problems);
  problems.throw_if_any();

  File file;
  file.name_ = name;
  file.tensors_.reserve(listed.size());
  for (ListedTensor& tensor : listed) {
    tensor.info.data = bytes.subspan(layout.data_start + tensor.begin, tensor.end - tensor.begin);
    file.tensors_.push_back(std::move(tensor.info));
  }
  return file;
}

File File::open(const std::filesystem::path& path) {
  MappedFile mapped(path);
  File file = read_unchanged(mapped, [&] { return from_bytes(mapped.bytes(), path.string()); });
  file.mapped_ = std::move(mapped);
  return file;
}

const TensorInfo* File::find_tensor(std::string_view name) const {
  const auto found = std::ranges::lower_bound(
      tensors_, name, {}, [](const TensorInfo& tensor) -> std::string_view { return tensor.name; });
  return found != tensors_.end() && found->name == name ? &*found : nullptr;
}

}  // namespace pleiad::safetensors
