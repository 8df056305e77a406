#include "formats/gguf/writer.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "formats/gguf/ggml_types.h"
#include "tensor/checked_math.h"

namespace pleiad::gguf {
namespace {

constexpr std::uint64_t kAlignment = 32;
constexpr std::uint64_t kStartBytes = 24;  // magic, version, two counts

template <typename T>
void put(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void put_text(std::string& out, std::string_view text) {
  put<std::uint64_t>(out, text.size());
  out += text;
}

void put_bytes(std::string& out, std::span<const std::byte> bytes) {
  out.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

}  // namespace

Writer::Writer(const std::filesystem::path& path) : file_(path) {}

Writer::Writer(int descriptor, const std::string& name) : file_(descriptor, name) {}

void Writer::put_key(std::string_view key, ValueType type) {
  CHECK(!header_written_, "key {} after the first data", key);
  CHECK(!key.empty() && key.size() <= 65'535, "key of {} bytes", key.size());
  CHECK(std::ranges::find(keys_, key) == keys_.end(), "key {} twice", key);
  keys_.emplace_back(key);
  put_text(pairs_, key);
  put(pairs_, static_cast<std::uint32_t>(type));
  ++n_pairs_;
}

void Writer::set_u32(std::string_view key, std::uint32_t value) {
  put_key(key, ValueType::u32);
  put(pairs_, value);
}

void Writer::set_i32(std::string_view key, std::int32_t value) {
  put_key(key, ValueType::i32);
  put(pairs_, value);
}

void Writer::set_u64(std::string_view key, std::uint64_t value) {
  put_key(key, ValueType::u64);
  put(pairs_, value);
}

void Writer::set_f32(std::string_view key, float value) {
  put_key(key, ValueType::f32);
  put(pairs_, value);
}

void Writer::set_boolean(std::string_view key, bool value) {
  put_key(key, ValueType::boolean);
  put<std::uint8_t>(pairs_, value ? 1 : 0);
}

void Writer::set_string(std::string_view key, std::string_view value) {
  put_key(key, ValueType::string);
  put_text(pairs_, value);
}

void Writer::set_i32s(std::string_view key, std::span<const std::int32_t> values) {
  put_key(key, ValueType::array);
  put(pairs_, static_cast<std::uint32_t>(ValueType::i32));
  put<std::uint64_t>(pairs_, values.size());
  put_bytes(pairs_, std::as_bytes(values));
}

void Writer::set_f32s(std::string_view key, std::span<const float> values) {
  put_key(key, ValueType::array);
  put(pairs_, static_cast<std::uint32_t>(ValueType::f32));
  put<std::uint64_t>(pairs_, values.size());
  put_bytes(pairs_, std::as_bytes(values));
}

void Writer::set_booleans(std::string_view key, const std::vector<bool>& values) {
  put_key(key, ValueType::array);
  put(pairs_, static_cast<std::uint32_t>(ValueType::boolean));
  put<std::uint64_t>(pairs_, values.size());
  for (const bool value : values) put<std::uint8_t>(pairs_, value ? 1 : 0);
}

void Writer::set_strings(std::string_view key, std::span<const std::string_view> values) {
  put_key(key, ValueType::array);
  put(pairs_, static_cast<std::uint32_t>(ValueType::string));
  put<std::uint64_t>(pairs_, values.size());
  for (const std::string_view value : values) put_text(pairs_, value);
}

void Writer::set_value(std::string_view key, const Value& value) {
  put_key(key, value.type);
  if (value.type == ValueType::array) {
    put(pairs_, static_cast<std::uint32_t>(value.element_type));
    put(pairs_, value.count);
  } else if (value.type == ValueType::string) {
    put<std::uint64_t>(pairs_, value.payload.size());
  }
  put_bytes(pairs_, value.payload);
}

void Writer::add_tensor(std::string_view name, DType type, const Shape& shape) {
  const auto ggml_type = ggml_type_of(type);
  CHECK(ggml_type.has_value(), "{}: GGUF has no type {}", name, pleiad::name(type));
  add_tensor(name, *ggml_type, shape);
}

void Writer::add_tensor(std::string_view name, std::uint32_t ggml_type, const Shape& shape) {
  CHECK(!header_written_, "tensor {} after the first data", name);
  CHECK(std::ranges::find(names_, name) == names_.end(), "tensor {} twice", name);
  CHECK(!shape.empty() && shape.size() <= 4, "{}: {} dimensions", name, shape.size());
  const GgmlType* type = find_ggml_type(ggml_type);
  CHECK(type != nullptr, "{}: type {}", name, ggml_type);
  CHECK(shape.back() % type->block_size == 0, "{}: {} columns in blocks of {}", name, shape.back(),
        type->block_size);
  names_.emplace_back(name);
  put_text(infos_, name);
  put(infos_, static_cast<std::uint32_t>(shape.size()));
  for (std::size_t i = shape.size(); i > 0; --i) {  // innermost first
    put(infos_, static_cast<std::uint64_t>(shape[i - 1]));
  }
  put(infos_, ggml_type);
  put(infos_, next_offset_);
  const auto elements = static_cast<std::uint64_t>(element_count(shape));
  sizes_.push_back(elements / type->block_size * type->block_bytes);
  next_offset_ = checked_align_up(next_offset_ + sizes_.back(), kAlignment).value();
}

void Writer::write_raw(std::span<const std::byte> bytes) {
  position_ += bytes.size();
  file_.write(bytes);
}

void Writer::pad() {
  constexpr std::byte zeros[kAlignment] = {};
  const std::uint64_t aligned = checked_align_up(position_, kAlignment).value();
  write_raw({zeros, aligned - position_});
}

void Writer::write_header() {
  header_written_ = true;
  std::string start = "GGUF";
  put<std::uint32_t>(start, 3);
  put<std::uint64_t>(start, names_.size());
  put<std::uint64_t>(start, n_pairs_);
  write_raw(std::as_bytes(std::span(start)));
  write_raw(std::as_bytes(std::span(pairs_)));
  write_raw(std::as_bytes(std::span(infos_)));
  pad();
}

void Writer::write(std::span<const std::byte> bytes) {
  if (!header_written_) write_header();
  while (!bytes.empty()) {
    CHECK(current_ < sizes_.size(), "{} bytes after the last tensor", bytes.size());
    const std::uint64_t missing = sizes_[current_] - written_;
    const std::size_t count = std::min<std::uint64_t>(missing, bytes.size());
    write_raw(bytes.first(count));
    bytes = bytes.subspan(count);
    written_ += count;
    if (written_ == sizes_[current_]) end_tensor();
  }
}

void Writer::end_tensor() {
  pad();
  ++current_;
  written_ = 0;
}

void Writer::write_zeros(std::uint64_t count) {
  if (!header_written_) write_header();
  CHECK(current_ < sizes_.size() && written_ == 0 && count == sizes_[current_],
        "{} zeros where {} bytes are expected", count,
        current_ < sizes_.size() ? sizes_[current_] - written_ : 0);
  position_ += count;
  file_.write_zeros(count);
  end_tensor();
}

std::uint64_t Writer::file_size() const {
  const std::uint64_t header = kStartBytes + pairs_.size() + infos_.size();
  return checked_align_up(header, kAlignment).value() + next_offset_;
}

void Writer::finish() {
  if (!header_written_) write_header();
  CHECK(current_ == sizes_.size(), "tensor {}: {} of {} bytes were written", names_[current_],
        written_, sizes_[current_]);
  file_.finish();
}

}  // namespace pleiad::gguf
