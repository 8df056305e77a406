#pragma once

#include <string_view>

namespace pleiad::sandbox {

/// A file descriptor that programs which we start do not inherit, above the three standard ones
/// (which may be closed here), and closed in the end.
class Descriptor {
 public:
  /// Owns `fd`; where it is negative, throws Error that says what errno does.
  explicit Descriptor(int fd);
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  Descriptor& operator=(Descriptor&&) = delete;

  int get() const { return fd_; }
  void close();

 private:
  int fd_;
};

struct Pipe {
  Descriptor from;
  Descriptor to;
};

/// Throws Error.
Pipe make_pipe();

/// A file in memory with these bytes, to be read from its beginning, that nobody can change. Throws
/// Error.
Descriptor file_in_memory(std::string_view bytes);

}  // namespace pleiad::sandbox
