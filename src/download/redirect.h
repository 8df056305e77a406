#pragma once

#include <string_view>
#include <vector>

#include "download/session.h"
#include "download/target.h"
#include "download/trouble.h"

namespace pleiad::download {

/// Whether what follows this answer is a GET without a body, as browsers and curl have it: after
/// 303, and a POST after 301 and 302.
bool turns_into_get(int status, std::string_view method);

/// Without those that describe a body.
std::vector<Header> without_body_headers(const std::vector<Header>& headers);

Problem too_many_redirects(const Target& first);

}  // namespace pleiad::download
