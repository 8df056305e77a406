#include "base/file_status.h"

#include <system_error>

namespace pleiad {

bool is_there(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::status(path, error).type() != std::filesystem::file_type::not_found;
}

}  // namespace pleiad
