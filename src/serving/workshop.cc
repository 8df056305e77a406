#include "serving/workshop.h"

#include "serving/request_error.h"

namespace pleiad::serving {

store::ModelEntry Workshop::find_usable(const std::string& name) const {
  if (name.empty())
    throw RequestError(ServiceError::Code::bad_request, "model is required", "model");
  Result<store::ModelEntry> entry = find(name);
  if (!entry) throw RequestError(ServiceError::Code::model_not_found, entry.message(), "model");
  if (!entry.value().problem.empty()) {
    throw RequestError(ServiceError::Code::unsupported, entry.value().problem, "model");
  }
  return std::move(entry).value();
}

}  // namespace pleiad::serving
