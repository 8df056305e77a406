#include "backend/cpu/read_buffer.h"

#include <sys/mman.h>

#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <new>
#include <string>

namespace pleiad::cpu {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

}  // namespace

ReadBuffer::ReadBuffer(std::int64_t bytes, PageSize pages)
    : mapped_bytes_(static_cast<std::size_t>(bytes) + kHugePage), size_(bytes) {
  mapping_ =
      ::mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping_ == MAP_FAILED) throw std::bad_alloc();
  const auto address = reinterpret_cast<std::uintptr_t>(mapping_);
  data_ = static_cast<std::byte*>(mapping_) + (kHugePage - address % kHugePage) % kHugePage;
  // Advice only: a system without huge pages gives small ones.
  ::madvise(mapping_, mapped_bytes_, pages == PageSize::huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
}

ReadBuffer::~ReadBuffer() { ::munmap(mapping_, mapped_bytes_); }

bool ReadBuffer::is_in_huge_pages() const {
  std::ifstream file("/proc/self/smaps");
  const auto address = reinterpret_cast<std::uintptr_t>(data_);
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    std::uintptr_t first = 0;
    std::uintptr_t last = 0;
    std::int64_t kilobytes = 0;
    if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR " ", &first, &last) == 2) {
      inside = first <= address && address < last;
    } else if (inside && std::sscanf(line.c_str(), "AnonHugePages: %" SCNd64, &kilobytes) == 1) {
      return kilobytes * 1024 > size_ / 2;
    }
  }
  return false;
}

}  // namespace pleiad::cpu
