#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/model_entry.h"

namespace pleiad::store {

/// What looking at a model's files gave.
struct Inspection {
  std::optional<ModelDetails> details;
  std::vector<std::filesystem::path>
      projectors;       // that its towers come from, if not the model's own
  std::string problem;  // empty where there are details
};

/// Opens the model and checks it whole, without reading its weights. `projector` as of
/// ModelEntry.
Inspection inspect(const std::filesystem::path& path, const std::filesystem::path& projector);

/// Remembers what was found as long as the files stay as they were. Threads may share it.
class DetailsCache {
 public:
  /// `stamp`: both texts of stamp_of(path, projector).
  Inspection get(const std::filesystem::path& path, const std::filesystem::path& projector,
                 const std::string& stamp);

 private:
  struct Known {
    std::string stamp;
    Inspection inspection;
  };
  std::mutex mutex_;
  std::map<std::string, Known> known_;  // by paths
};

/// GGUF's number for "Q4_0" and the like (general.file_type); nothing where it has none.
std::optional<int> file_type_number(std::string_view level);

/// "5.1B", "270M", "812.50K"
std::string parameter_size_text(std::uint64_t count);

}  // namespace pleiad::store
