#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace pleiad::download {

/// Bytes of a file on their way: filled from its beginning.
struct Piece {
  const std::uint64_t offset;  // in the file
  std::size_t size;            // bytes; see Window::shorten()
  std::size_t filled = 0;      // by the thread that fetches
  std::size_t taken = 0;       // by the thread that appends
  std::unique_ptr<std::byte[]> buffer;

  std::uint64_t next_byte() const { return offset + filled; }
  std::uint64_t end() const { return offset + size; }
  std::size_t left() const { return size - filled; }
};

/// The pieces between the connections that fetch them, in whatever order they come, and the one
/// thread that appends them to the file in theirs. Their buffers are all the memory that a download
/// takes: a fetching thread that gets none has to wait.
class Window {
 public:
  /// Buffers of that size are made when they are needed first.
  Window(std::size_t buffer_bytes, std::size_t n_buffers);

  // Of the thread that fetches. Pieces are added in the order of the file, without gaps.

  bool has_room() const;
  /// Bytes that wait for nothing but the thread that appends.
  std::size_t backlog() const;
  /// `size` of at most buffer_bytes. Only where there is room. The piece is there until it is full.
  Piece& add(std::uint64_t offset, std::size_t size);
  /// The file turned out to end there, behind what is filled.
  void shorten(Piece& piece, std::size_t size);
  /// True where the piece is full now, and gone.
  bool fill(Piece& piece, std::string_view bytes);
  /// No more will come: next() hands out what can be appended, and then nothing.
  void close();

  // Of the thread that appends.

  struct Ready {
    Piece* piece;
    std::span<const std::byte> bytes;
  };
  /// Waits for the next bytes of the file: a quarter of a mebibyte, or what there is at the end of
  /// a piece, after 50 ms, or when the window is closed. Empty: there are no more.
  std::optional<Ready> next();
  /// What next() gave has been appended. True where that made room.
  bool take(const Ready& ready);

 private:
  std::size_t ready_bytes() const;    // of the first piece, worth appending
  std::size_t waiting_bytes() const;  // however few

  const std::size_t buffer_bytes_;
  const std::size_t n_buffers_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::unique_ptr<Piece>> pieces_;
  std::vector<std::unique_ptr<std::byte[]>> idle_;
  bool closed_ = false;
};

}  // namespace pleiad::download
