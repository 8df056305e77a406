#include "base/os/memory.h"

#include <io.h>
#include <windows.h>

#include <cerrno>

#include "base/os/windows/last_error.h"

namespace pleiad::os {
namespace {

std::uintptr_t page_size() {
  SYSTEM_INFO system = {};
  ::GetSystemInfo(&system);
  return system.dwPageSize;
}

void prefetch(std::uintptr_t begin, std::uintptr_t end) {
  WIN32_MEMORY_RANGE_ENTRY range = {reinterpret_cast<void*>(begin), end - begin};
  ::PrefetchVirtualMemory(::GetCurrentProcess(), 1, &range, 0);
}

struct Pages {
  std::uintptr_t begin;
  std::uintptr_t end;
};

/// Only whole pages: neighbours may belong to another tensor.
Pages whole_pages(std::span<const std::byte> bytes) {
  const std::uintptr_t page = page_size();
  const auto first = reinterpret_cast<std::uintptr_t>(bytes.data());
  return {(first + page - 1) / page * page, (first + bytes.size()) / page * page};
}

}  // namespace

// Large pages would need a right that users do not have (SeLockMemoryPrivilege).
std::byte* take_pages(std::size_t bytes, PageSize) {
  // One huge page more than asked for, of which an aligned part is used.
  auto* start = static_cast<std::byte*>(
      ::VirtualAlloc(nullptr, bytes + kHugePage, MEM_RESERVE, PAGE_READWRITE));
  if (start == nullptr) return fail_with_last_error(), nullptr;
  const auto place = reinterpret_cast<std::uintptr_t>(start);
  std::byte* aligned = start + ((place + kHugePage - 1) / kHugePage * kHugePage - place);
  if (::VirtualAlloc(aligned, bytes, MEM_COMMIT, PAGE_READWRITE) == nullptr) {
    fail_with_last_error();
    ::VirtualFree(start, 0, MEM_RELEASE);
    return nullptr;
  }
  return aligned;
}

void give_pages_back(std::byte* memory, std::size_t) {
  MEMORY_BASIC_INFORMATION region = {};
  if (::VirtualQuery(memory, &region, sizeof region) == 0) return;
  ::VirtualFree(region.AllocationBase, 0, MEM_RELEASE);
}

const std::byte* map_file(int descriptor, std::size_t bytes) {
  const auto file = reinterpret_cast<HANDLE>(::_get_osfhandle(descriptor));
  const HANDLE mapping = ::CreateFileMappingW(file, nullptr, PAGE_READONLY, 0, 0, nullptr);
  if (mapping == nullptr) return fail_with_last_error(), nullptr;
  const void* address = ::MapViewOfFile(mapping, FILE_MAP_READ, 0, 0, bytes);
  if (address == nullptr) fail_with_last_error();
  ::CloseHandle(mapping);  // the view keeps it
  return static_cast<const std::byte*>(address);
}

void unmap_file(std::span<const std::byte> mapping) { ::UnmapViewOfFile(mapping.data()); }

// What is read ahead of a mapping cannot be said of a part of it.
void expect_random_reads(std::span<const std::byte>) {}

void drop_pages(std::span<const std::byte> bytes) {
  const Pages pages = whole_pages(bytes);
  if (pages.begin >= pages.end) return;
  // To unlock pages that are not locked takes them out of the working set.
  ::VirtualUnlock(reinterpret_cast<void*>(pages.begin), pages.end - pages.begin);
}

void fetch_pages(std::span<const std::byte> bytes) {
  const Pages pages = whole_pages(bytes);
  if (pages.begin < pages.end) prefetch(pages.begin, pages.end);
}

void request_pages(std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  const auto first = reinterpret_cast<std::uintptr_t>(bytes.data());
  prefetch(first, first + bytes.size());
}

}  // namespace pleiad::os
