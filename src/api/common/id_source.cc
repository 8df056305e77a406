#include "api/common/id_source.h"

namespace pleiad::api {

std::string IdSource::make(std::string_view prefix, int length) {
  static constexpr std::string_view kAlphabet = "abcdefghijklmnopqrstuvwxyz0123456789";
  std::string id(prefix);
  const std::lock_guard lock(mutex_);
  for (int i = 0; i < length; ++i) id += kAlphabet[random_() % kAlphabet.size()];
  return id;
}

}  // namespace pleiad::api
