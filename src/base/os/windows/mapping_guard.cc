#include "base/mapping_guard.h"

namespace pleiad {

// Windows lets nobody cut off a file that is mapped. Where a disk or a network has an error, a view
// of a file cannot be replaced by zeros page by page: the system ends the program
// (EXCEPTION_IN_PAGE_ERROR), which is the one case that is not caught here.
MappingGuard::MappingGuard(std::span<const std::byte>) : range_(nullptr) {}
MappingGuard::~MappingGuard() = default;
bool MappingGuard::lost() const { return range_ != nullptr; }

}  // namespace pleiad
