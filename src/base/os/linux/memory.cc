#include "base/os/memory.h"

#include <sys/mman.h>
#include <unistd.h>

namespace pleiad::os {
namespace {

std::uintptr_t page_size() { return static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE)); }

void advise(std::span<const std::byte> bytes, int advice) {
  if (bytes.empty()) return;
  const std::uintptr_t page = page_size();
  const auto first = reinterpret_cast<std::uintptr_t>(bytes.data());
  // Only whole pages: neighbours may belong to another tensor.
  const std::uintptr_t begin = (first + page - 1) / page * page;
  const std::uintptr_t end = (first + bytes.size()) / page * page;
  if (begin < end) ::madvise(reinterpret_cast<void*>(begin), end - begin, advice);
}

}  // namespace

std::byte* take_pages(std::size_t bytes, PageSize pages) {
  // One huge page more than asked for, so that an aligned part can be kept.
  void* address = ::mmap(nullptr, bytes + kHugePage, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED) return nullptr;
  auto* start = static_cast<std::byte*>(address);
  const auto place = reinterpret_cast<std::uintptr_t>(start);
  const std::size_t skip = (place + kHugePage - 1) / kHugePage * kHugePage - place;
  if (skip > 0) ::munmap(start, skip);
  if (skip < kHugePage) ::munmap(start + skip + bytes, kHugePage - skip);
  // Advice only: a system without huge pages gives base pages.
  ::madvise(start + skip, bytes, pages == PageSize::huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  return start + skip;
}

void give_pages_back(std::byte* memory, std::size_t bytes) { ::munmap(memory, bytes); }

const std::byte* map_file(int descriptor, std::size_t bytes) {
  void* address = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, descriptor, 0);
  return address == MAP_FAILED ? nullptr : static_cast<const std::byte*>(address);
}

void unmap_file(std::span<const std::byte> mapping) {
  ::munmap(const_cast<std::byte*>(mapping.data()), mapping.size());
}

void expect_random_reads(std::span<const std::byte> bytes) { advise(bytes, MADV_RANDOM); }

void drop_pages(std::span<const std::byte> bytes) { advise(bytes, MADV_DONTNEED); }

void fetch_pages(std::span<const std::byte> bytes) {
#ifdef MADV_POPULATE_READ
  advise(bytes, MADV_POPULATE_READ);
#else
  advise(bytes, MADV_WILLNEED);
#endif
}

void request_pages(std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  // Not MADV_POPULATE_READ, which reads one page after the other and waits for each.
  const std::uintptr_t page = page_size();
  const auto first = reinterpret_cast<std::uintptr_t>(bytes.data());
  const std::uintptr_t begin = first / page * page;
  ::madvise(reinterpret_cast<void*>(begin), first + bytes.size() - begin, MADV_WILLNEED);
}

}  // namespace pleiad::os
