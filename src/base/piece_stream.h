#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

namespace pleiad {

/// Bytes in pieces that threads make ahead of the one reader, who gets them in
/// order. Each piece lies in a slot of a ring, three slots a thread, so that the
/// memory is bounded whatever the number of pieces.
class PieceStream {
 public:
  /// Fills `out`, sizes[index] bytes. Called on the stream's threads, for several
  /// pieces at once; what it throws comes out of next() at that piece's place.
  using Make = std::function<void(std::size_t index, std::span<std::byte> out)>;

  /// Throws Error where no thread can be started; fewer than asked are fine.
  PieceStream(std::vector<std::size_t> sizes, int n_threads, Make make);
  /// Waits for the pieces that are being made.
  ~PieceStream();
  PieceStream(const PieceStream&) = delete;
  PieceStream& operator=(const PieceStream&) = delete;

  std::size_t n_pieces() const { return sizes_.size(); }

  /// The next piece; valid until the next call. CHECKs that there is one.
  std::span<const std::byte> next();

 private:
  struct Slot {
    std::vector<std::byte> bytes;
    std::exception_ptr error;
    bool ready = false;
  };

  void work() noexcept;
  void stop();

  std::vector<std::size_t> sizes_;
  Make make_;
  std::vector<Slot> slots_;  // piece i lies in slot i % slots_.size()

  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t next_made_ = 0;  // first piece that no thread has taken
  std::size_t next_read_ = 0;  // first piece that next() has not given yet
  std::size_t n_freed_ = 0;    // pieces whose slots are free again
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace pleiad
