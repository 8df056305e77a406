#include "store/metadata_json.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/terminal_text.h"
#include "base/text_format.h"

namespace pleiad::store {
namespace {

using gguf::Value;
using gguf::ValueType;

constexpr std::size_t kMostPairs = 1'000;
constexpr std::size_t kLongestKey = 256;     // bytes
constexpr std::size_t kLongestText = 4'096;  // bytes
constexpr std::size_t kUsualList = 1'024;    // values: one a layer, say
constexpr std::size_t kMostLeftOut = 20;     // named one by one

template <typename T>
T load(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

/// Of a type of fixed size.
Json scalar_json(ValueType type, const std::byte* bytes) {
  switch (type) {
    case ValueType::u8:
      return load<std::uint8_t>(bytes);
    case ValueType::i8:
      return load<std::int8_t>(bytes);
    case ValueType::u16:
      return load<std::uint16_t>(bytes);
    case ValueType::i16:
      return load<std::int16_t>(bytes);
    case ValueType::u32:
      return load<std::uint32_t>(bytes);
    case ValueType::i32:
      return load<std::int32_t>(bytes);
    case ValueType::u64:
      return load<std::uint64_t>(bytes);
    case ValueType::i64:
      return load<std::int64_t>(bytes);
    case ValueType::f32:
      return as_written(load<float>(bytes));
    case ValueType::f64:
      return load<double>(bytes);
    case ValueType::boolean:
      return *bytes != std::byte{0};
    case ValueType::string:
    case ValueType::array:
      break;
  }
  return nullptr;
}

bool is_left_out_always(std::string_view key) {
  return key == "general.name" || key == "tokenizer.chat_template";
}

class Writer {
 public:
  Writer(const gguf::Metadata& metadata, const MetadataLimits& limits)
      : metadata_(metadata), limits_(limits) {}

  MetadataJson write() && {
    for (const auto& [key, value] : metadata_.values()) {
      if (is_left_out_always(key)) continue;
      if (key.size() > kLongestKey || result_.pairs.size() >= kMostPairs) {
        leave_out(key, fmt::format("keys of more than {} bytes, and more than {} keys, are not "
                                   "told",
                                   kLongestKey, kMostPairs));
        continue;
      }
      result_.pairs.emplace(key, value_json(key, value));
    }
    if (n_left_out_ > kMostLeftOut) {
      result_.left_out.push_back(fmt::format("and {} more keys", n_left_out_ - kMostLeftOut));
    }
    return std::move(result_);
  }

 private:
  Json value_json(std::string_view key, const Value& value) {
    if (value.type == ValueType::string) return text_json(key, value);
    if (value.type == ValueType::array) return list_json(key, value);
    return scalar_json(value.type, value.payload.data());
  }

  Json text_json(std::string_view key, const Value& value) {
    const std::size_t size = value.payload.size();
    if (size > kLongestText) {
      return leave_out(key,
                       fmt::format("a text of {} bytes; at most {} are told", size, kLongestText));
    }
    if (!spend(key, 0, size)) return nullptr;
    return terminal_text({reinterpret_cast<const char*>(value.payload.data()), size});
  }

  Json list_json(std::string_view key, const Value& value) {
    if (!limits_.vocabulary && (key.starts_with("tokenizer.") || value.count > kUsualList)) {
      return nullptr;
    }
    if (value.element_type == ValueType::array) return leave_out(key, "a list of lists");
    if (!spend(key, value.count, value.payload.size())) return nullptr;
    Json list = Json::array();
    list.get_ref<Json::array_t&>().reserve(value.count);
    if (value.element_type == ValueType::string) {
      const auto texts = metadata_.find_strings(key);
      for (const std::string_view text : *texts) list.push_back(std::string(text));
      return list;
    }
    const std::size_t size = gguf::fixed_size(value.element_type);
    for (std::uint64_t i = 0; i < value.count; ++i) {
      list.push_back(scalar_json(value.element_type, value.payload.data() + i * size));
    }
    return list;
  }

  /// False where it is more than may be told.
  bool spend(std::string_view key, std::uint64_t values, std::size_t bytes) {
    if (values > limits_.values - values_ || bytes > limits_.bytes - bytes_) {
      leave_out(key, fmt::format("{} in the file, more than what is left of {}",
                                 format_bytes(bytes), format_bytes(limits_.bytes)));
      return false;
    }
    values_ += values;
    bytes_ += bytes;
    return true;
  }

  Json leave_out(std::string_view key, const std::string& why) {
    if (++n_left_out_ <= kMostLeftOut) {
      result_.left_out.push_back(fmt::format("{} is left out: {}", printable(key), why));
    }
    return nullptr;
  }

  const gguf::Metadata& metadata_;
  const MetadataLimits& limits_;
  std::size_t values_ = 0;
  std::size_t bytes_ = 0;
  std::size_t n_left_out_ = 0;
  MetadataJson result_;
};

}  // namespace

double as_written(float value) {
  if (!std::isfinite(value)) return value;  // null, as JSON
  const std::string text = fmt::format("{}", value);
  double number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

MetadataJson metadata_json(const gguf::Metadata& metadata, const MetadataLimits& limits) {
  return Writer(metadata, limits).write();
}

}  // namespace pleiad::store
