#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pleiad {

/// Everything that is wrong with a file, so that a user sees it all at once
/// instead of one thing per attempt.
class ProblemList {
 public:
  /// `file` starts the message.
  explicit ProblemList(std::string file) : file_(std::move(file)) {}

  template <typename... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    add_text(fmt::format(format, std::forward<Args>(args)...));
  }

  /// The text of an error that was thrown for a part of the work; a file name at
  /// its start that this list starts with anyway is left out.
  void add_error(std::string_view what);

  bool empty() const { return count_ == 0; }

  /// "model.gguf: what is wrong", or where there are several
  /// "model.gguf: 3 problems:\n  - ...\n  - ...". Long lists are cut.
  std::string message() const;

  /// Throws LoadError with the message if there is any problem.
  void throw_if_any() const;

 private:
  void add_text(std::string text);

  std::string file_;
  std::vector<std::string> shown_;
  std::size_t count_ = 0;
};

}  // namespace pleiad
