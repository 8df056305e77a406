#include "apps/media/converter.h"

#include <span>
#include <string_view>

#include "apps/common/usage_error.h"
#include "media/documents/process/run_converter.h"

namespace pleiad::apps {
namespace {

constexpr const char* kConverterCommand = "document-converter";

}  // namespace

media::HelperProgram own_document_converter() { return {"/proc/self/exe", {kConverterCommand}}; }

std::optional<int> run_as_document_converter(int argc, const char* const* argv) {
  if (argc < 2 || std::string_view(argv[1]) != kConverterCommand) return std::nullopt;
  if (!media::is_started_as_converter()) {
    throw UsageError("{} is what pleiad starts by itself to read a document", kConverterCommand);
  }
  return media::run_converter({argv + 2, static_cast<std::size_t>(argc - 2)});
}

}  // namespace pleiad::apps
