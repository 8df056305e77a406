#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "http/authority.h"

namespace pleiad::http {

/// Whether a page of `origin` may use this server: pages of this machine, of
/// programs installed on it (app://, file://, tauri://, vscode-webview://,
/// vscode-file://), of this server itself, and those in `allowed`: whole origins,
/// each with at most one "*" for any text ("https://*.example.com"). "null",
/// which any page can make itself, only where `allowed` has it or "*".
bool origin_allowed(std::string_view origin, std::string_view host, const HostRules& hosts,
                    const std::vector<std::string>& allowed);

}  // namespace pleiad::http
