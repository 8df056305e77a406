#include "serving/media/reading_problem.h"

#include <fmt/format.h>

#include "base/text_format.h"
#include "engine/media/media_prompt.h"
#include "media/documents/missing_programs.h"

namespace pleiad::serving {

ServiceError reading_problem(const MediaPart& part, const Error& error) {
  ServiceError told{
      ServiceError::Code::internal,
      fmt::format("{}: this server cannot read {} now", part.field, plural(part.kind)), part.field};
  if (dynamic_cast<const media::MissingPrograms*>(&error) != nullptr) {
    const std::string name = part.name.empty() ? "the document" : printable(part.name);
    told.message = fmt::format("{}: {} {}", part.field, name, error.what());
  }
  told.detail = error.what();
  return told;
}

}  // namespace pleiad::serving
