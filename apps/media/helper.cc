#include "apps/media/helper.h"

#include <span>
#include <string_view>

#include "apps/common/usage_error.h"
#include "media/helper/run_helper.h"

namespace pleiad::apps {
namespace {

constexpr const char* kHelperCommand = "media-helper";

}  // namespace

media::HelperProgram own_media_helper() { return {"/proc/self/exe", {kHelperCommand}}; }

std::optional<int> run_as_media_helper(int argc, const char* const* argv) {
  if (argc < 2 || std::string_view(argv[1]) != kHelperCommand) return std::nullopt;
  if (!media::is_started_as_helper()) {
    throw UsageError("{} is what pleiad starts by itself to read a picture, a sound or a video",
                     kHelperCommand);
  }
  const std::span words(argv + 2, static_cast<std::size_t>(argc - 2));
  return media::run_helper(media::helper_task(words));
}

}  // namespace pleiad::apps
