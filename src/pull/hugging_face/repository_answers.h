#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "pull/hugging_face/hub_file.h"

namespace pleiad::pull::hugging_face {

/// What /api/models/{repository}/revision/{revision} says.
struct RepositoryInfo {
  std::string commit;   // 40 hex digits
  std::string license;  // "apache-2.0", safe to show; of a list with commas; empty: not said
};

/// Failures are sentences without their subject ("has no 'sha'").
Result<RepositoryInfo> parse_repository_info(std::string_view json);

/// A page of /api/models/{repository}/tree/{commit}.
struct TreePage {
  std::vector<HubFile> files;        // folders are left out
  std::vector<std::string> refused;  // "'../x' has the part '..'": names that cannot become paths
};

Result<TreePage> parse_tree_page(std::string_view json);

}  // namespace pleiad::pull::hugging_face
