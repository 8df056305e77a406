#include "formats/gguf/metadata.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "base/file_changed_error.h"
#include "base/text_format.h"

namespace pleiad::gguf {
namespace {

struct TypeTraits {
  std::string_view name;
  std::size_t size;
};
constexpr std::array<TypeTraits, kValueTypeCount> kValueTypes = {{{"u8", 1},
                                                                  {"i8", 1},
                                                                  {"u16", 2},
                                                                  {"i16", 2},
                                                                  {"u32", 4},
                                                                  {"i32", 4},
                                                                  {"f32", 4},
                                                                  {"bool", 1},
                                                                  {"string", 0},
                                                                  {"array", 0},
                                                                  {"u64", 8},
                                                                  {"i64", 8},
                                                                  {"f64", 8}}};

bool is_integer(ValueType type) {
  switch (type) {
    case ValueType::u8:
    case ValueType::i8:
    case ValueType::u16:
    case ValueType::i16:
    case ValueType::u32:
    case ValueType::i32:
    case ValueType::u64:
    case ValueType::i64:
      return true;
    default:
      return false;
  }
}
bool is_float(ValueType type) { return type == ValueType::f32 || type == ValueType::f64; }
bool is_boolean(ValueType type) { return type == ValueType::boolean; }
bool is_string(ValueType type) { return type == ValueType::string; }

std::string describe(const Value& value) {
  if (value.type != ValueType::array) return std::string(name(value.type));
  return fmt::format("array of {} {}", value.count, name(value.element_type));
}

template <typename T>
T read(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

/// Nothing where an unsigned 64-bit number is too large to be a count of ours.
std::optional<std::int64_t> read_integer(ValueType type, const std::byte* bytes) {
  switch (type) {
    case ValueType::u8:
      return read<std::uint8_t>(bytes);
    case ValueType::i8:
      return read<std::int8_t>(bytes);
    case ValueType::u16:
      return read<std::uint16_t>(bytes);
    case ValueType::i16:
      return read<std::int16_t>(bytes);
    case ValueType::u32:
      return read<std::uint32_t>(bytes);
    case ValueType::i32:
      return read<std::int32_t>(bytes);
    case ValueType::i64:
      return read<std::int64_t>(bytes);
    case ValueType::u64: {
      const auto value = read<std::uint64_t>(bytes);
      if (!std::in_range<std::int64_t>(value)) return std::nullopt;
      return static_cast<std::int64_t>(value);
    }
    default:
      CHECK(false, "type {}", name(type));
      return std::nullopt;
  }
}

double read_float(ValueType type, const std::byte* bytes) {
  return type == ValueType::f32 ? static_cast<double>(read<float>(bytes)) : read<double>(bytes);
}

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

std::string_view name(ValueType type) { return kValueTypes[static_cast<std::size_t>(type)].name; }

std::size_t fixed_size(ValueType type) { return kValueTypes[static_cast<std::size_t>(type)].size; }

const Value* Metadata::find(std::string_view key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? nullptr : &found->second;
}

const Value* Metadata::find_of(std::string_view key, std::string_view kind,
                               bool (*fits)(ValueType)) const {
  const Value* value = find(key);
  if (value != nullptr && !fits(value->type)) {
    throw LoadError("{}: metadata key '{}': expected {}, found {}", file_, printable(key), kind,
                    describe(*value));
  }
  return value;
}

const Value* Metadata::find_array_of(std::string_view key, std::string_view kind,
                                     bool (*fits)(ValueType)) const {
  const Value* value = find(key);
  if (value != nullptr && (value->type != ValueType::array || !fits(value->element_type))) {
    throw LoadError("{}: metadata key '{}': expected array of {}, found {}", file_, printable(key),
                    kind, describe(*value));
  }
  return value;
}

std::optional<std::int64_t> Metadata::find_integer(std::string_view key) const {
  const Value* value = find_of(key, "integer", is_integer);
  if (value == nullptr) return std::nullopt;
  const auto integer = read_integer(value->type, value->payload.data());
  if (!integer) {
    throw LoadError("{}: metadata key '{}': {} is too large", file_, printable(key),
                    read<std::uint64_t>(value->payload.data()));
  }
  return integer;
}

std::optional<double> Metadata::find_float(std::string_view key) const {
  const Value* value = find_of(key, "float", is_float);
  if (value == nullptr) return std::nullopt;
  return read_float(value->type, value->payload.data());
}

std::optional<bool> Metadata::find_boolean(std::string_view key) const {
  const Value* value = find_of(key, "bool", is_boolean);
  if (value == nullptr) return std::nullopt;
  return value->payload[0] != std::byte{0};
}

std::optional<std::string_view> Metadata::find_string(std::string_view key) const {
  const Value* value = find_of(key, "string", is_string);
  if (value == nullptr) return std::nullopt;
  return as_text(value->payload);
}

std::optional<std::vector<std::string_view>> Metadata::find_strings(std::string_view key) const {
  const Value* value = find_array_of(key, "string", is_string);
  if (value == nullptr) return std::nullopt;
  std::vector<std::string_view> strings;
  strings.reserve(value->count);  // bounded: the reader walked over all of them
  std::span<const std::byte> rest = value->payload;
  for (std::uint64_t i = 0; i < value->count; ++i) {
    // The reader walked over them, but others may have written to the file since.
    constexpr std::size_t kPrefix = sizeof(std::uint64_t);
    const std::uint64_t length = rest.size() < kPrefix ? 0 : read<std::uint64_t>(rest.data());
    if (rest.size() < kPrefix || length > rest.size() - kPrefix) {
      throw FileChangedError("{}: metadata key '{}': changed while it was read", file_,
                             printable(key));
    }
    strings.push_back(as_text(rest.subspan(sizeof length, length)));
    rest = rest.subspan(sizeof length + length);
  }
  return strings;
}

std::optional<std::vector<std::int64_t>> Metadata::find_integers(std::string_view key) const {
  const Value* value = find_array_of(key, "integer", is_integer);
  if (value == nullptr) return std::nullopt;
  const std::size_t size = fixed_size(value->element_type);
  std::vector<std::int64_t> integers;
  integers.reserve(value->count);
  for (std::uint64_t i = 0; i < value->count; ++i) {
    const auto integer = read_integer(value->element_type, value->payload.data() + i * size);
    if (!integer) {
      throw LoadError("{}: metadata key '{}': element {} is too large", file_, printable(key), i);
    }
    integers.push_back(*integer);
  }
  return integers;
}

std::optional<std::vector<float>> Metadata::find_floats(std::string_view key) const {
  const Value* value = find_array_of(key, "float", is_float);
  if (value == nullptr) return std::nullopt;
  const std::size_t size = fixed_size(value->element_type);
  std::vector<float> floats;
  floats.reserve(value->count);
  for (std::uint64_t i = 0; i < value->count; ++i) {
    floats.push_back(
        static_cast<float>(read_float(value->element_type, value->payload.data() + i * size)));
  }
  return floats;
}

std::optional<std::vector<bool>> Metadata::find_booleans(std::string_view key) const {
  const Value* value = find_array_of(key, "bool", is_boolean);
  if (value == nullptr) return std::nullopt;
  std::vector<bool> booleans;
  booleans.reserve(value->count);
  for (const std::byte byte : value->payload) booleans.push_back(byte != std::byte{0});
  return booleans;
}

}  // namespace pleiad::gguf
