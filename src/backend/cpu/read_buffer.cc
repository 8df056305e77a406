#include "backend/cpu/read_buffer.h"

#include <sys/mman.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <limits>
#include <new>
#include <string>

namespace pleiad::cpu {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

/// The number after `key` in a file of "key number" lines; -1: not there.
std::int64_t number_in(const char* path, const std::string& key) {
  std::ifstream file(path);
  std::string word;
  std::int64_t number = 0;
  for (std::string line; file >> word; std::getline(file, line)) {
    if (word == key && file >> number) return number;
  }
  return -1;
}

/// A file that holds one number and nothing else; -1: another, as "max".
std::int64_t number_of(const char* path) {
  std::ifstream file(path);
  std::int64_t number = 0;
  return file >> number ? number : -1;
}

}  // namespace

std::int64_t available_memory() {
  std::int64_t available = std::numeric_limits<std::int64_t>::max();
  const std::int64_t kilobytes = number_in("/proc/meminfo", "MemAvailable:");
  if (kilobytes >= 0) available = kilobytes * 1024;
  const std::int64_t limit = number_of("/sys/fs/cgroup/memory.max");
  const std::int64_t used = number_of("/sys/fs/cgroup/memory.current");
  if (limit >= 0 && used >= 0) {
    // Files in the page cache count as used there, and give way.
    const std::int64_t files =
        std::max<std::int64_t>(0, number_in("/sys/fs/cgroup/memory.stat", "file"));
    available = std::min(available, std::max<std::int64_t>(0, limit - used + files));
  }
  return available;
}

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
