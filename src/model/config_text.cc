#include "model/config_text.h"

#include "base/error.h"
#include "base/mapped_file.h"
#include "base/text_format.h"
#include "formats/not_a_model.h"

namespace pleiad {

std::string read_config_text(const std::filesystem::path& path) {
  constexpr std::size_t kMaxSize = 4 << 20;
  const MappedFile file(path);
  refuse_what_is_no_model(file.bytes(), path.string());
  if (file.bytes().size() > kMaxSize) {
    throw LoadError("{}: {} are too much for a configuration", path.string(),
                    format_bytes(file.bytes().size()));
  }
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

}  // namespace pleiad
