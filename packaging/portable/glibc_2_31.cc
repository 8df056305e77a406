// What the libraries of Debian 12's compiler expect of glibc and glibc 2.31 does not have, in terms
// of what it has. Linked into the portable program alone.
#include <link.h>
#include <sys/random.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>

namespace {

/// What _dl_find_object fills: glibc's struct dl_find_object of x86-64.
struct FoundObject {
  unsigned long long flags;
  void* map_start;  // the first byte of the object's mapping
  void* map_end;    // behind its last one
  link_map* map;
  void* unwinding_table;  // PT_GNU_EH_FRAME
  unsigned long long reserved[7];
};
static_assert(sizeof(FoundObject) == 96);

struct Search {
  std::uintptr_t address;
  FoundObject* found;
};

int look_at_object(dl_phdr_info* object, std::size_t, void* data) {
  Search& search = *static_cast<Search*>(data);
  std::uintptr_t begin = UINTPTR_MAX;
  std::uintptr_t end = 0;
  std::uintptr_t table = 0;
  bool is_inside = false;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    const std::uintptr_t first = object->dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_GNU_EH_FRAME) table = first;
    if (segment.p_type != PT_LOAD) continue;
    const std::uintptr_t behind = first + segment.p_memsz;
    if (first < begin) begin = first;
    if (behind > end) end = behind;
    if (search.address >= first && search.address < behind) is_inside = true;
  }
  if (!is_inside) return 0;
  if (table == 0) return -1;
  *search.found = {};
  search.found->map_start = reinterpret_cast<void*>(begin);
  search.found->map_end = reinterpret_cast<void*>(end);
  search.found->unwinding_table = reinterpret_cast<void*>(table);
  return 1;
}

}  // namespace

extern "C" {

// glibc 2.32. Whether the process has one thread, so that counts of references need no atomic
// operations. No is a safe answer.
extern const char __libc_single_threaded;
const char __libc_single_threaded = 0;

// glibc 2.36, for std::random_device. It cannot fail.
std::uint32_t arc4random() {
  std::uint32_t value = 0;
  while (::getrandom(&value, sizeof value, 0) != static_cast<ssize_t>(sizeof value)) {
    if (errno != EINTR) std::abort();
  }
  return value;
}

// glibc 2.35. Where the unwinding table for the code at `address` is; -1: there is none. The
// unwinder of GCC 12 asks nobody else. The map is not given, which it does not read.
int _dl_find_object(void* address, FoundObject* found) {
  Search search = {reinterpret_cast<std::uintptr_t>(address), found};
  return ::dl_iterate_phdr(look_at_object, &search) == 1 ? 0 : -1;
}

}  // extern "C"
