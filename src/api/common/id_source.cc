#include "api/common/id_source.h"

#include "base/random_bytes.h"

namespace pleiad::api {

std::string IdSource::make(std::string_view prefix, int length) const {
  return random_name(prefix, length);
}

}  // namespace pleiad::api
