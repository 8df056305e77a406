#include "download/way.h"

#include <utility>

namespace pleiad::download {
namespace {

constexpr int kMostRenewals = 2;

}  // namespace

Way::Way(Network& network, const FileRequest& request) : network_(network), request_(request) {}

std::optional<Problem> Way::begin() {
  Result<Target> home = network_.rules().first(request_.url);
  if (!home) return Problem{Trouble::not_allowed, home.message()};
  home_ = std::move(home.value());
  if (!request_.authorization) return std::nullopt;
  Result<std::string> authorization = request_.authorization(false);
  if (!authorization) return Problem{Trouble::refused, authorization.message()};
  authorization_ = std::move(authorization.value());
  return find_bad_header({.authorization = authorization_});
}

std::string Way::authorization_for(const Target& target) const {
  return is_home(target) ? authorization_ : std::string();
}

std::optional<Problem> Way::renew(const Target& target, const Problem& refusal) {
  if (++n_renewals_ > kMostRenewals) return refusal;
  if (is_home(target)) {
    if (!request_.authorization) return refusal;
    Result<std::string> renewed = request_.authorization(true);
    if (!renewed) return Problem{Trouble::refused, renewed.message(), refusal.status};
    authorization_ = std::move(renewed.value());
    if (auto problem = find_bad_header({.authorization = authorization_})) return problem;
  }
  forget_end();
  ++generation_;
  return std::nullopt;
}

}  // namespace pleiad::download
