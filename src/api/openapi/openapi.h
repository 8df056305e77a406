#pragma once

#include <string_view>

#include "http/router.h"

namespace pleiad::api {

/// The description of every API, as openapi.json beside this file has it.
std::string_view openapi_document();

/// GET /openapi.json, open to anybody.
void add_openapi_route(http::Router& router);

}  // namespace pleiad::api
