#include "api/common/base64.h"

namespace pleiad::api {
namespace {

bool is_digit(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' ||
         c == '/';
}

}  // namespace

bool is_base64(std::string_view text) {
  if (text.empty() || text.size() % 4 != 0) return false;
  if (text.back() == '=') text.remove_suffix(1);
  if (text.back() == '=') text.remove_suffix(1);
  for (const char c : text) {
    if (!is_digit(c)) return false;
  }
  return true;
}

}  // namespace pleiad::api
