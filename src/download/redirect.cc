#include "download/redirect.h"

#include <fmt/format.h>

#include "base/ascii.h"

namespace pleiad::download {

bool turns_into_get(int status, std::string_view method) {
  if (status == 303) return method != "HEAD";
  return (status == 301 || status == 302) && method == "POST";
}

std::vector<Header> without_body_headers(const std::vector<Header>& headers) {
  std::vector<Header> left;
  for (const Header& header : headers) {
    const std::string name = ascii_lower(header.name);
    if (!name.starts_with("content-")) left.push_back(header);
  }
  return left;
}

Problem too_many_redirects(const Target& first) {
  return {Trouble::refused, fmt::format("{}: leads on more than {} times, perhaps in a circle",
                                        first.text(), kMaxRedirects)};
}

}  // namespace pleiad::download
