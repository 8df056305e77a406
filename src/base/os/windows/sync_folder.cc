#include "base/sync_folder.h"

namespace pleiad {

// Windows writes the names of files through where they are renamed (os::replace_file).
void sync_folder(const std::filesystem::path&) {}

}  // namespace pleiad
