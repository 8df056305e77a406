#pragma once

#include <string>
#include <string_view>

#include "client/url.h"
#include "download/surroundings.h"

namespace pleiad::download {

/// Whether `no_proxy` (names and addresses between commas or blanks, "*" for all, as curl reads it)
/// holds the host: "example.com" and ".example.com" mean it and all below it, "10.0.0.0/8" the
/// addresses of a network where the host is written as one.
bool is_without_proxy(std::string_view no_proxy, std::string_view host);

/// The proxy that the URL is asked through; empty: none, as always for loopback.
std::string proxy_for(const client::Url& url, const Surroundings& surroundings);

}  // namespace pleiad::download
