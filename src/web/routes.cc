#include "web/routes.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "web/asset.h"

namespace pleiad::web {
namespace {

constexpr std::string_view kPage = "index.html";

const Asset* find_asset(std::string_view name) {
  const auto all = assets();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Asset& asset) { return asset.name == name; });
  return found == all.end() ? nullptr : &*found;
}

std::string_view content_type(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kTypes = {{
      {".html", "text/html; charset=utf-8"},
      {".css", "text/css; charset=utf-8"},
      {".js", "text/javascript; charset=utf-8"},
      {".svg", "image/svg+xml"},
  }};
  for (const auto& [ending, type] : kTypes) {
    if (name.ends_with(ending)) return type;
  }
  CHECK(false, "no content type for {}", name);
  return {};
}

/// Whether If-None-Match names what we have; `"a", W/"b"` and `*` are its forms.
bool has_already(const http::Request& request, std::string_view tag) {
  const std::optional<std::string_view> known = request.header("if-none-match");
  return known && (*known == "*" || known->find(tag) != std::string_view::npos);
}

http::Response answer(const http::Request& request, const Asset& asset) {
  const std::string tag = '"' + std::string(asset.digest) + '"';
  http::Response response;
  response.content_type = content_type(asset.name);
  response.headers = {
      {"ETag", tag},
      {"Cache-Control", "no-cache"},  // kept, but asked for again: a new program has new files
      {"Content-Security-Policy", kContentPolicy},
      {"Permissions-Policy", kPermissionsPolicy},
      {"X-Content-Type-Options", "nosniff"},
      {"Referrer-Policy", "no-referrer"},
      {"Cross-Origin-Opener-Policy", "same-origin"},
      {"Cross-Origin-Resource-Policy", "same-origin"},
  };
  if (has_already(request, tag)) {
    response.status = 304;
  } else {
    response.body = asset.content;
  }
  return response;
}

void serve_asset(const http::Request& request, http::Exchange& exchange) {
  const Asset* asset = find_asset(request.arguments.at(0));
  if (asset == nullptr || asset->name == kPage) {
    exchange.respond({.status = 404, .body = R"({"error":"not found"})", .headers = {}});
    return;
  }
  exchange.respond(answer(request, *asset));
}

}  // namespace

void add_web_routes(http::Router& router) {
  router.add({.method = "GET",
              .pattern = "/assets/{name}",
              .scope = http::Scope::open,
              .handler = [](http::Request request, std::shared_ptr<http::Exchange> exchange) {
                serve_asset(request, *exchange);
              }});
}

http::Response page(const http::Request& request) {
  const Asset* asset = find_asset(kPage);
  CHECK(asset != nullptr, "{} is not embedded", kPage);
  http::Response response = answer(request, *asset);
  response.headers.emplace_back("Vary", "Accept");  // others are answered in text
  return response;
}

}  // namespace pleiad::web
