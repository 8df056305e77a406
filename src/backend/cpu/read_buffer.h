#pragma once

#include <cstddef>
#include <cstdint>

namespace pleiad::cpu {

/// How memory is divided for the address translation of the processor.
enum class PageSize : std::uint8_t {
  small,  // 4 KiB
  huge,   // 2 MiB where the system gives them
};

/// Anonymous memory that a bandwidth is measured on, aligned to 2 MiB. Its
/// pages come to be with the first write.
class ReadBuffer {
 public:
  /// Throws std::bad_alloc when there is no address space left.
  ReadBuffer(std::int64_t bytes, PageSize pages);
  ~ReadBuffer();
  ReadBuffer(const ReadBuffer&) = delete;
  ReadBuffer& operator=(const ReadBuffer&) = delete;

  std::byte* data() { return data_; }
  std::int64_t size() const { return size_; }

  /// True when most of what was written lies in huge pages.
  bool is_in_huge_pages() const;

 private:
  void* mapping_;
  std::size_t mapped_bytes_;
  std::byte* data_;
  std::int64_t size_;
};

}  // namespace pleiad::cpu
