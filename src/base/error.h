#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace pleiad {

/// What ends an operation because of something outside the program: a file, a
/// flag, a request. The text is written for the user and names the file or the
/// field, what was expected and what was found.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message) : std::runtime_error(message) {}
  template <typename... Args>
  explicit Error(fmt::format_string<Args...> format, Args&&... args) requires(sizeof...(Args) > 0)
      : std::runtime_error(fmt::format(format, std::forward<Args>(args)...)) {}
};

/// A model file that cannot be used: missing, damaged, of another kind.
class LoadError : public Error {
 public:
  using Error::Error;
};

/// Memory that the system does not give.
class NoMemoryError : public Error {
 public:
  using Error::Error;
};

/// A mistake of ours, thrown by CHECK; never caused by input.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// "No such file or directory" for ENOENT, and so on.
std::string errno_text(int error_number);

}  // namespace pleiad
