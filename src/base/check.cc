#include "base/check.h"

#include "base/error.h"

namespace pleiad::internal {

void check_failed(const char* file, int line, const char* condition, const std::string& details) {
  throw InternalError(fmt::format("{}:{}: internal error: {} does not hold{}{}", file, line,
                                  condition, details.empty() ? "" : ": ", details));
}

}  // namespace pleiad::internal
