#include "base/error.h"

#include <system_error>

namespace pleiad {

std::string errno_text(int error_number) {
  return std::error_code(error_number, std::generic_category()).message();
}

}  // namespace pleiad
