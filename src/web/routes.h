#pragma once

#include "http/exchange.h"
#include "http/request.h"
#include "http/router.h"

namespace pleiad::web {

/// What the page may load and do, for the header Content-Security-Policy: its own
/// files and our own API, nothing inline, no other host; and show and play what it was given
/// (blob:).
inline constexpr char kContentPolicy[] =
    "default-src 'self'; img-src 'self' blob:; media-src 'self' blob:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; object-src 'none'; require-trusted-types-for "
    "'script'";

/// Which devices it may ask for, for the header Permissions-Policy: camera and microphone, and
/// nothing for what it might frame.
inline constexpr char kPermissionsPolicy[] =
    "camera=(self), microphone=(self), geolocation=(), display-capture=()";

/// Adds GET /assets/{name}: the page's scripts, styles and pictures; open to anybody.
void add_web_routes(http::Router& router);

/// The page itself, for a browser's GET /; 304 where the browser has it already.
http::Response page(const http::Request& request);

}  // namespace pleiad::web
