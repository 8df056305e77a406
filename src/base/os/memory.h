#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

// Pages of memory, of files and without. What fails gives nullptr, and says why in errno.

namespace pleiad::os {

/// How memory is divided for the address translation of the processor.
enum class PageSize : std::uint8_t {
  base,  // 4 KiB
  huge,  // 2 MiB where the system gives them
};

inline constexpr std::size_t kHugePage = std::size_t{2} << 20;

/// Zeroed memory, aligned to kHugePage, that takes pages when they are first written. `bytes`: a
/// multiple of kHugePage.
std::byte* take_pages(std::size_t bytes, PageSize pages);
/// All that take_pages() gave at `memory`.
void give_pages_back(std::byte* memory, std::size_t bytes);

/// A whole file of so many bytes, read only. Pages are read from disk when they are touched.
const std::byte* map_file(int descriptor, std::size_t bytes);
void unmap_file(std::span<const std::byte> mapping);

// Advice on mapped bytes, which changes no result.

/// The whole pages in `bytes` are read at random places: nothing is read ahead.
void expect_random_reads(std::span<const std::byte> bytes);
/// Gives the whole pages in `bytes` back; later reads fetch them again.
void drop_pages(std::span<const std::byte> bytes);
/// Reads the whole pages in `bytes`, and waits for them where the system can.
void fetch_pages(std::span<const std::byte> bytes);
/// Asks for the pages that `bytes` lie in and does not wait.
void request_pages(std::span<const std::byte> bytes);

}  // namespace pleiad::os
