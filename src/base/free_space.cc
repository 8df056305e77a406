#include "base/free_space.h"

#include <system_error>

#include "base/error.h"
#include "base/text_format.h"

namespace pleiad {

namespace fs = std::filesystem;

void check_free_space(const fs::path& path, std::uint64_t bytes) {
  std::error_code error;
  fs::path place = fs::weakly_canonical(path, error);
  if (error) return;
  const fs::file_type type = fs::status(place, error).type();
  const bool is_there = type != fs::file_type::not_found;
  if (is_there && type != fs::file_type::regular && type != fs::file_type::directory) return;
  if (type != fs::file_type::directory) place = place.parent_path();
  const fs::space_info space = fs::space(place, error);
  if (error || space.available >= bytes) return;
  throw Error("{}: cannot write: {} are needed, and {} are free in {}", path.string(),
              format_bytes(bytes), format_bytes(space.available), place.string());
}

}  // namespace pleiad
