#include "base/testing/paths.h"

namespace pleiad {
namespace {

std::string joined(const std::string& folder, const std::string& below) {
  return below.empty() ? folder : folder + "/" + below;
}

}  // namespace

std::string source_path(const std::string& below) { return joined(PLEIAD_SOURCE_DIR, below); }

std::string golden_path(const std::string& below) {
  return joined(source_path("tests/golden"), below);
}

}  // namespace pleiad
