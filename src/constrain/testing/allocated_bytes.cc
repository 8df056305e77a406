#include "constrain/testing/allocated_bytes.h"

#include <cstdlib>
#include <new>

namespace {

thread_local std::size_t n_allocated = 0;

}  // namespace

void* operator new(std::size_t size) {
  n_allocated += size;
  if (void* memory = std::malloc(size > 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}
// std::stable_sort() asks so, and gives back by the plain `delete`.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  n_allocated += size;
  return std::malloc(size > 0 ? size : 1);
}
// Not inlined, or GCC takes the pair of `new` and `free` for a mistake.
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace pleiad::constrain {

std::size_t allocated_bytes() { return n_allocated; }

}  // namespace pleiad::constrain
