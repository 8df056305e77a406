#include "api/common/choice_texts.h"

#include <fmt/format.h>

#include <cstddef>

#include "api/common/field_reader.h"
#include "api/common/request_error.h"
#include "api/common/request_json.h"

namespace pleiad::api {

void check_choice_texts(const Json& texts, const std::string& path) {
  if (!texts.is_array()) {
    throw RequestError(path, fmt::format("expected a list of texts, found {}", describe(texts)));
  }
  if (texts.empty()) throw RequestError(path, "is empty; expected at least one text");
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (texts[i].is_string() && texts[i] != "") continue;
    throw RequestError(
        element_path(path, i),
        fmt::format("expected a text that is not empty, found {}", describe(texts[i])));
  }
}

}  // namespace pleiad::api
