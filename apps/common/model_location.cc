#include "apps/common/model_location.h"

#include <vector>

#include "base/error.h"

namespace pleiad::apps {

namespace fs = std::filesystem;

fs::path find_model(const std::string& argument, const Environment& environment) {
  if (argument != "demo") return argument;
  std::error_code error;
  const fs::path bin = environment.executable.parent_path();
  const std::vector<fs::path> places = {
      bin.parent_path() / "share" / "pleiad" / "demo" / "pleiad-demo.gguf",  // installed
      bin.parent_path() / "models" / "demo" / "pleiad-demo.gguf",            // in the build folder
  };
  std::string tried;
  for (const fs::path& place : places) {
    if (fs::exists(place, error)) return place;
    tried += fmt::format("\n  {}", place.string());
  }
  throw Error("the demo model is not where it should be; looked at{}", tried);
}

}  // namespace pleiad::apps
