#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace pleiad::constrain::grammars {

using Words = std::vector<std::string>;

/// Reads members of JSON objects, and remembers the first problem with its place, as
/// "format.tags[0].begin: missing". What is asked for behind a problem is empty. A member that is
/// null counts as missing.
class TagFields {
 public:
  bool failed() const { return !problem_.empty(); }
  const std::string& problem() const { return problem_; }
  void fail(const std::string& path, std::string_view why);

  static std::string below(const std::string& path, std::string_view key);
  /// Null where there is none.
  static const Json* given(const Json& object, std::string_view key);

  /// False, and a problem, where it has another "type". It may have none.
  bool is_of_type(const Json& object, const std::string& path, std::string_view type);
  /// A problem where there are others than these and "type".
  void only(const Json& object, const std::string& path,
            std::initializer_list<std::string_view> known);
  const Json& member(const Json& object, const std::string& path, std::string_view key);
  std::string text(const Json& object, const std::string& path, std::string_view key);
  /// False where there is none.
  bool flag(const Json& object, const std::string& path, std::string_view key);
  /// From 0 on; where `may_be_open`, -1 is kUnbounded.
  std::uint32_t number(const Json& object, const std::string& path, std::string_view key,
                       bool may_be_open);
  /// Not empty.
  const Json& list(const Json& object, const std::string& path, std::string_view key);
  /// Texts, none where there is no such member. An empty one is a problem unless it `may_be_empty`.
  Words words(const Json& object, const std::string& path, std::string_view key,
              bool may_be_empty = false);

 private:
  std::string problem_;
};

}  // namespace pleiad::constrain::grammars
