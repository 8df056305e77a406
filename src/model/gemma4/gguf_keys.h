#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/error.h"
#include "base/text_format.h"
#include "formats/gguf/metadata.h"
#include "formats/problem_list.h"

namespace pleiad::gemma4 {

/// The keys of a file that begin with a prefix ("gemma4", "clip.vision") and a dot. A key that
/// is absent takes its default; without a default that is a problem, and so is a value of a
/// wrong kind or out of range.
class Keys {
 public:
  Keys(const gguf::Metadata& metadata, std::string_view prefix, ProblemList& problems)
      : metadata_(metadata), prefix_(prefix), problems_(problems) {}

  int integer(std::string_view key, std::int64_t min, std::int64_t max,
              std::optional<std::int64_t> absent = std::nullopt) const {
    const auto value = read(
        key, [&](const std::string& full) { return metadata_.find_integer(full); }, absent);
    if (!value) return static_cast<int>(min);
    return in_range(key, *value, min, max);
  }

  double number(std::string_view key, double min, double max,
                std::optional<double> absent = std::nullopt) const {
    const auto value = read(
        key, [&](const std::string& full) { return metadata_.find_float(full); }, absent);
    if (!value) return min;
    if (*value >= min && *value <= max) return *value;
    problems_.add("metadata key '{}': expected {} to {}, found {}", full_key(key), min, max,
                  *value);
    return min;
  }

  /// One number per layer; a file may also give a single one for all.
  std::vector<int> per_layer(std::string_view key, int n_layers, std::int64_t min,
                             std::int64_t max) const {
    const std::string full = full_key(key);
    const gguf::Value* value = metadata_.find(full);
    const auto count = static_cast<std::size_t>(n_layers);
    if (value == nullptr || value->type != gguf::ValueType::array) {
      return std::vector<int>(count, integer(key, min, max));
    }
    std::vector<int> numbers(count, static_cast<int>(min));
    const auto found =
        read(key, [&](const std::string& name) { return metadata_.find_integers(name); }, {});
    if (!found) return numbers;
    if (found->size() != count) {
      problems_.add("metadata key '{}': expected {} values (one per layer), found {}", full,
                    n_layers, found->size());
      return numbers;
    }
    for (std::size_t i = 0; i < count; ++i) numbers[i] = in_range(key, (*found)[i], min, max);
    return numbers;
  }

  /// Which layers are sliding.
  std::vector<bool> sliding_pattern(int n_layers) const {
    constexpr std::string_view key = "attention.sliding_window_pattern";
    const auto found =
        read(key, [&](const std::string& full) { return metadata_.find_booleans(full); }, {});
    const auto count = static_cast<std::size_t>(n_layers);
    if (found && found->size() == count) return *found;
    if (found) {
      problems_.add("metadata key '{}': expected {} values (one per layer), found {}",
                    full_key(key), n_layers, found->size());
    }
    return std::vector<bool>(count, true);
  }

  bool contains(std::string_view key) const { return metadata_.contains(full_key(key)); }

 private:
  std::string full_key(std::string_view key) const { return fmt::format("{}.{}", prefix_, key); }

  int in_range(std::string_view key, std::int64_t value, std::int64_t min, std::int64_t max) const {
    if (value >= min && value <= max) return static_cast<int>(value);
    problems_.add("metadata key '{}': expected {} to {}, found {}", full_key(key), min, max, value);
    return static_cast<int>(min);
  }

  /// The value, or the default; nothing after reporting that there is neither.
  template <typename Find, typename T = std::invoke_result_t<Find, const std::string&>>
  T read(std::string_view key, Find find, T absent) const {
    const std::string full = full_key(key);
    try {
      if (auto value = find(full)) return value;
    } catch (const LoadError& error) {
      problems_.add_error(error.what());
      return absent;
    }
    if (!absent) problems_.add("metadata key '{}' is missing", full);
    return absent;
  }

  const gguf::Metadata& metadata_;
  std::string prefix_;
  ProblemList& problems_;
};

}  // namespace pleiad::gemma4
