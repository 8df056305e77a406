#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pleiad::gguf {

/// The types of metadata values, with GGUF's numbers.
enum class ValueType : std::uint32_t {
  u8,
  i8,
  u16,
  i16,
  u32,
  i32,
  f32,
  boolean,
  string,
  array,
  u64,
  i64,
  f64,
};
inline constexpr std::uint32_t kValueTypeCount = 13;

/// "u32", "string"
std::string_view name(ValueType type);

/// Bytes of a value of a fixed-size type; 0 for strings and arrays.
std::size_t fixed_size(ValueType type);

/// A metadata value as it lies in the file, already checked to lie inside it.
/// For an array, `payload` is its elements; for a string, its characters.
struct Value {
  ValueType type = ValueType::u8;
  ValueType element_type = ValueType::u8;  // arrays only
  std::uint64_t count = 1;                 // elements of an array
  std::span<const std::byte> payload;
};

/// The key/value pairs of a GGUF file. Every find_... gives nothing where the key
/// is absent, and throws LoadError that names the key, the expected and the found
/// type where the value is of another kind. Integers of any width are one kind,
/// and so are floats; an integer is not a float, nor a float an integer.
class Metadata {
 public:
  explicit Metadata(std::string file = {}) : file_(std::move(file)) {}

  bool contains(std::string_view key) const { return find(key) != nullptr; }
  const Value* find(std::string_view key) const;

  std::optional<std::int64_t> find_integer(std::string_view key) const;
  std::optional<double> find_float(std::string_view key) const;
  std::optional<bool> find_boolean(std::string_view key) const;
  std::optional<std::string_view> find_string(std::string_view key) const;

  /// The views point into the file.
  std::optional<std::vector<std::string_view>> find_strings(std::string_view key) const;
  std::optional<std::vector<std::int64_t>> find_integers(std::string_view key) const;
  std::optional<std::vector<float>> find_floats(std::string_view key) const;
  std::optional<std::vector<bool>> find_booleans(std::string_view key) const;

  /// All pairs, by key.
  const std::map<std::string_view, Value>& values() const { return values_; }

  /// False where the key is there already.
  bool add(std::string_view key, const Value& value) { return values_.emplace(key, value).second; }

 private:
  const Value* find_of(std::string_view key, std::string_view kind, bool (*fits)(ValueType)) const;
  const Value* find_array_of(std::string_view key, std::string_view kind,
                             bool (*fits)(ValueType)) const;

  std::string file_;
  std::map<std::string_view, Value> values_;
};

}  // namespace pleiad::gguf
