#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "api/common/field_reader.h"

namespace pleiad::api {

/// What becomes of fields that nobody knows, and of those that have no effect here.
enum class SpareFields : std::uint8_t {
  tell,    // the request is answered without them, and the answer names them
  refuse,  // RequestError
};

/// What there is to tell about a request beside its answer. What elements of a list have in common
/// is told once, with the path of the first.
class RequestNotes {
 public:
  explicit RequestNotes(SpareFields spare = SpareFields::tell) : spare_(spare) {}

  /// Fields of an object that nobody asked for: "unknown field: foo", or a RequestError for the
  /// first one, "foo: unknown parameter".
  void unknown(const FieldReader& fields);
  /// The same for one that stands at `path`.
  void unknown(const std::string& path);

  /// A field that clients send and that changes nothing: "foo has no effect: WHY", or
  /// RequestError "foo: not supported: WHY".
  void without_effect(FieldReader& fields, std::string_view key, std::string_view why);
  /// The same for what stands at `path`.
  void left_out(const std::string& path, std::string_view why);

  /// What stands at `path` is not as it should be, and what was made of it: "messages[3]: WHAT".
  void told(const std::string& path, std::string_view what);

  /// Where others add what they have to say.
  std::vector<std::string>& warnings() { return warnings_; }

  /// All of it; of what stands at paths at most kMost kinds, and how many more there were.
  std::vector<std::string> take();

  static constexpr std::size_t kMost = 20;

 private:
  struct Kind {
    std::size_t place = 0;  // in warnings_
    std::size_t count = 1;
  };
  void add(const std::string& kind, std::string text);

  SpareFields spare_;
  std::vector<std::string> warnings_;
  std::map<std::string, Kind> kinds_;  // by path, without the numbers of elements, and what is told
  std::size_t n_more_ = 0;
};

}  // namespace pleiad::api
