#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json_limits.h"
#include "base/result.h"
#include "base/text_format.h"

namespace pleiad {

/// Builds a value from what the library's parser meets, and stops it at the first limit. The
/// library's own builders search the members of an object again at each key, and, where somebody
/// listens to them, a list again at the end of each object in it. Of a key that is repeated the
/// last value counts, at the place of the first.
template <typename Value>
class JsonBuilder {
 public:
  /// The value of a text, or what the text is instead: "not JSON: parse error at line 1, column 2:
  /// ...", "JSON nested more than 64 levels deep, at a[0].b".
  static Result<Value> read(std::string_view text, const JsonLimits& limits) {
    JsonBuilder builder(limits);
    if (Value::sax_parse(text.data(), text.data() + text.size(), &builder)) {
      return std::move(builder.root_);
    }
    return Failure{std::move(builder.problem_)};
  }

  // What the library calls; false stops it.
  bool null() { return put(Value()); }
  bool boolean(bool value) { return put(Value(value)); }
  bool number_integer(typename Value::number_integer_t value) { return put(Value(value)); }
  bool number_unsigned(typename Value::number_unsigned_t value) { return put(Value(value)); }
  bool number_float(typename Value::number_float_t value, const std::string& /*spelled*/) {
    return put(Value(value));
  }
  bool string(std::string& value) {
    memory_ += kAllocation + sizeof(std::string) + far_bytes(value);
    return put(Value(value));
  }
  bool binary(typename Value::binary_t& /*value*/) { return false; }  // JSON has none
  bool start_object(std::size_t /*size*/) { return open(Value::value_t::object); }
  bool start_array(std::size_t /*size*/) { return open(Value::value_t::array); }
  bool end_array() {
    open_.pop_back();
    return true;
  }
  bool end_object() {
    if constexpr (kKeepsOrder) drop_repeated_keys(open_.back());
    return end_array();
  }

  bool key(std::string& key) {
    Container& object = open_.back();
    if (object.n_keys++ == limits_.keys_per_object) {
      object.slot = nullptr;  // the object itself is meant
      return refuse("JSON with more than {} keys in an object", limits_.keys_per_object);
    }
    key_comparisons_ += object.n_keys - 1;
    if (key_comparisons_ > limits_.key_comparisons) {
      object.slot = nullptr;
      return refuse(
          "JSON with too many large objects: to look up all keys takes more than {} comparisons",
          limits_.key_comparisons);
    }
    memory_ += kMember + far_bytes(key);
    if constexpr (kKeepsOrder) {
      auto& list = static_cast<typename Object::Container&>(members(object));
      object.slot = object.n_keys > kFewKeys ? nullptr : find(list, key);
      if (object.slot == nullptr) object.slot = &list.emplace_back(key, Value()).second;
    } else {
      object.slot = &members(object)[key];
    }
    return true;
  }

  template <typename Exception>
  bool parse_error(std::size_t /*position*/, const std::string& token, const Exception& exception) {
    constexpr int kNumberOverflow = 406;
    if (exception.id == kNumberOverflow) {
      return refuse(
          fmt::format("JSON with a number that no double holds: {}", printable(token, 40)));
    }
    // "[json.exception.parse_error.101] parse error at line 1, column 6: ..."
    std::string_view what = exception.what();
    if (const auto end = what.find("] "); end != what.npos) what.remove_prefix(end + 2);
    problem_ = fmt::format("not JSON: {}", printable(what, 300));
    return false;
  }

 private:
  using Object = typename Value::object_t;
  using Array = typename Value::array_t;
  static constexpr bool kKeepsOrder = requires { typename Object::Container; };

  // Estimates of memory. Lists grow by doubling.
  static constexpr std::size_t kAllocation = 16;
  static constexpr std::size_t kElement = 2 * sizeof(Value);
  static constexpr std::size_t kMember =
      (kKeepsOrder ? 2 : 1) * sizeof(typename Object::value_type) + (kKeepsOrder ? 0 : 48);
  static constexpr std::size_t kContainer = 2 * kAllocation + sizeof(Object);

  /// Up to here an object's keys are looked at one by one.
  static constexpr std::size_t kFewKeys = 16;

  struct Container {
    Value* value;
    Value* slot = nullptr;  // of the key read last
    std::size_t n_keys = 0;
  };

  explicit JsonBuilder(const JsonLimits& limits) : limits_(limits) {}

  static Object& members(Container& object) { return object.value->template get_ref<Object&>(); }
  static Array& elements(Container& list) { return list.value->template get_ref<Array&>(); }

  /// What a string keeps outside of itself.
  static std::size_t far_bytes(const std::string& text) {
    return text.size() < 16 ? 0 : kAllocation + text.size();
  }

  template <typename List>
  static Value* find(List& list, const std::string& key) {
    const auto found = std::find_if(list.begin(), list.end(),
                                    [&](const auto& member) { return member.first == key; });
    return found == list.end() ? nullptr : &found->second;
  }

  bool put(Value value) { return put_and_find(std::move(value)) != nullptr; }

  /// Where it went; null where a limit stops it.
  Value* put_and_find(Value value) {
    const bool in_list = !open_.empty() && open_.back().value->is_array();
    if (in_list) memory_ += kElement;
    if (n_values_++ == limits_.values) {
      refuse("JSON with more than {} values", limits_.values);
      return nullptr;
    }
    if (memory_ > limits_.memory_bytes) {
      refuse("JSON whose values take more than {} bytes of memory", limits_.memory_bytes);
      return nullptr;
    }
    if (in_list) return &elements(open_.back()).emplace_back(std::move(value));
    Value* const place = open_.empty() ? &root_ : open_.back().slot;
    *place = std::move(value);
    return place;
  }

  bool open(typename Value::value_t type) {
    if (open_.size() == limits_.depth) {
      return refuse("JSON nested more than {} levels deep", limits_.depth);
    }
    memory_ += kContainer;
    Value* const value = put_and_find(Value(type));
    if (value != nullptr) open_.push_back({value});
    return value != nullptr;
  }

  bool refuse(fmt::format_string<std::string> what, std::size_t limit) {
    return refuse(fmt::format(what, format_count(limit)));
  }

  bool refuse(std::string problem) {
    problem_ = std::move(problem);
    if (const std::string place = path(); !place.empty()) problem_ += ", at " + place;
    return false;
  }

  /// Of what comes next: "messages[3].content".
  std::string path() {
    constexpr std::size_t kLongest = 200;
    std::string path;
    for (std::size_t i = 0; i < open_.size() && path.size() < kLongest; ++i) {
      Container& container = open_[i];
      if (container.value->is_array()) {
        const bool is_open = i + 1 < open_.size();
        path += fmt::format("[{}]", elements(container).size() - (is_open ? 1 : 0));
        continue;
      }
      for (const auto& [key, value] : members(container)) {
        if (&value == container.slot) path += (path.empty() ? "" : ".") + printable(key, 40);
      }
    }
    return printable(path, kLongest);
  }

  /// Keys beyond the first few were not compared with those before them.
  void drop_repeated_keys(Container& object) {
    if (object.n_keys <= kFewKeys) return;
    auto& list = static_cast<typename Object::Container&>(members(object));
    order_.resize(list.size());
    for (std::size_t i = 0; i < order_.size(); ++i) order_[i] = i;
    const auto compare = [&](std::size_t a, std::size_t b) {
      const std::string& left = list[a].first;
      const std::string& right = list[b].first;
      if (left.size() != right.size()) return left.size() < right.size() ? -1 : 1;
      return std::memcmp(left.data(), right.data(), left.size());
    };
    std::sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
      const int difference = compare(a, b);
      return difference == 0 ? a < b : difference < 0;
    });
    bool repeated = false;
    for (std::size_t i = 1, first = 0; i < order_.size(); ++i) {
      if (compare(order_[first], order_[i]) != 0) {
        first = i;
        continue;
      }
      repeated = true;
      list[order_[first]].second = std::move(list[order_[i]].second);
      list[order_[i]].second = Value(Value::value_t::discarded);
    }
    if (!repeated) return;
    typename Object::Container kept;
    for (auto& [key, value] : list) {
      if (!value.is_discarded()) kept.emplace_back(key, std::move(value));
    }
    list.swap(kept);
  }

  const JsonLimits& limits_;
  Value root_;
  std::string problem_;
  std::vector<Container> open_;
  std::size_t n_values_ = 0;
  std::size_t memory_ = 0;
  std::size_t key_comparisons_ = 0;
  std::vector<std::size_t> order_;  // of one object's keys
};

}  // namespace pleiad
