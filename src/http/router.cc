#include "http/router.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/check.h"

namespace pleiad::http {
namespace {

enum class Kind : char { word, name, rest };  // the order of preference

Kind kind_of(std::string_view segment) {
  if (segment.empty() || segment.front() != '{') return Kind::word;
  return segment.ends_with("...}") ? Kind::rest : Kind::name;
}

/// "a" of "a/b", and "b" stays; for paths without the first slash.
std::string_view take_segment(std::string_view& path) {
  const std::string_view segment = path.substr(0, path.find('/'));
  path.remove_prefix(std::min(segment.size() + 1, path.size()));
  return segment;
}

/// A pattern with the names left out: two of one shape match the same paths.
std::string shape_of(std::string_view pattern) {
  std::string shape;
  pattern.remove_prefix(1);
  while (!pattern.empty()) {
    const std::string_view segment = take_segment(pattern);
    const Kind kind = kind_of(segment);
    shape += kind == Kind::word ? std::string(segment) : kind == Kind::name ? "{}" : "{...}";
    shape += '/';
  }
  return shape;
}

struct Fit {
  std::vector<Kind> kinds;
  std::vector<std::string> arguments;
};

std::optional<Fit> fit(std::string_view pattern, std::string_view path) {
  Fit result;
  // A slash at the end is a segment more, an empty one.
  const bool same_end = pattern.ends_with('/') == path.ends_with('/');
  pattern.remove_prefix(1);
  path.remove_prefix(1);
  while (!pattern.empty()) {
    const std::string_view wanted = take_segment(pattern);
    const Kind kind = kind_of(wanted);
    result.kinds.push_back(kind);
    if (path.empty()) return std::nullopt;
    if (kind == Kind::rest) {
      result.arguments.emplace_back(path);
      return result;
    }
    const std::string_view found = take_segment(path);
    if (kind == Kind::word && found != wanted) return std::nullopt;
    if (kind == Kind::name && found.empty()) return std::nullopt;
    if (kind == Kind::name) result.arguments.emplace_back(found);
  }
  if (!path.empty() || !same_end) return std::nullopt;
  return result;
}

bool serves(const Route& route, std::string_view method) {
  return route.method == method || (method == "HEAD" && route.method == "GET");
}

std::size_t shared_words(std::string_view pattern, std::string_view path) {
  std::size_t count = 0;
  pattern.remove_prefix(1);
  path.remove_prefix(1);
  while (!pattern.empty() && !path.empty() && take_segment(pattern) == take_segment(path)) ++count;
  return count;
}

}  // namespace

void Router::add(Route route) {
  CHECK(route.pattern.starts_with('/'), "{}", route.pattern);
  CHECK(route.handler != nullptr, "{}", route.pattern);
  const std::size_t rest = route.pattern.find("...}");
  CHECK(rest == std::string::npos || rest + 4 == route.pattern.size(), "{}", route.pattern);
  for (const auto& other : routes_) {
    CHECK(other->method != route.method || shape_of(other->pattern) != shape_of(route.pattern),
          "{} {} and {}", route.method, other->pattern, route.pattern);
  }
  routes_.push_back(std::make_unique<Route>(std::move(route)));
}

Router::Match Router::find(const std::string& method, const std::string& path) const {
  Match match;
  if (path.empty() || path.front() != '/') return match;
  std::optional<Fit> best;
  std::set<std::string> allowed;
  for (const auto& route : routes_) {
    auto candidate = fit(route->pattern, path);
    if (!candidate) continue;
    allowed.insert(route->method);
    if (!serves(*route, method)) continue;
    const bool exact = route->method == method;
    if (!best || candidate->kinds < best->kinds || (candidate->kinds == best->kinds && exact)) {
      best = std::move(candidate);
      match.route = route.get();
    }
  }
  if (best) {
    match.arguments = std::move(best->arguments);
    return match;
  }
  if (allowed.count("GET") > 0) allowed.insert("HEAD");
  if (!allowed.empty()) allowed.insert("OPTIONS");
  match.allowed.assign(allowed.begin(), allowed.end());
  return match;
}

ErrorFormat Router::error_format_near(const std::string& path) const {
  if (path.empty() || path.front() != '/') return {};
  const Route* best = nullptr;
  std::size_t most = 0;
  for (const auto& route : routes_) {
    const std::size_t count = shared_words(route->pattern, path);
    if (count > most) {
      best = route.get();
      most = count;
    }
  }
  return best == nullptr ? ErrorFormat() : best->on_error;
}

}  // namespace pleiad::http
