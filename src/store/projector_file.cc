#include "store/projector_file.h"

#include "base/error.h"
#include "base/mapped_file.h"
#include "formats/gguf/reader.h"

namespace pleiad::store {

bool is_projector_file(const std::filesystem::path& path) {
  try {
    const gguf::File file = gguf::File::open(path);
    return read_unchanged(file, [&] {
      const gguf::Metadata& metadata = file.metadata();
      return metadata.find_string("general.architecture") == "clip" ||
             metadata.find_string("general.type") == "mmproj";
    });
  } catch (const Error&) {
    return false;
  }
}

}  // namespace pleiad::store
