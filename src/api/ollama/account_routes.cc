#include "api/ollama/errors.h"
#include "api/ollama/route_groups.h"

// What clients ask about ollama.com before they offer its models. There is no account here, and
// nothing is asked of other machines: answered as an Ollama does that nobody has signed in to,
// and whose cloud is switched off.
namespace pleiad::api::ollama {
namespace {

http::Route fixed(std::string method, std::string path, Json body, int status) {
  return {
      std::move(method), std::move(path), http::Scope::use,
      [body = std::move(body), status](const http::Request& /*request*/, const Exchange& exchange) {
        exchange->respond(json_response(body, status));
      }};
}

}  // namespace

void add_account_routes(Routes& routes) {
  constexpr const char* kDetail = "there are no accounts here; models run on this machine alone";
  routes.push_back(
      fixed("GET", "/api/status", {{"cloud", {{"disabled", true}, {"source", "config"}}}}, 200));
  routes.push_back(fixed("POST", "/api/me",
                         {{"error", "unauthorized"}, {"code", "unsupported"}, {"detail", kDetail}},
                         401));
  routes.push_back(fixed(
      "POST", "/api/signout",
      {{"error", "you are not currently signed in"}, {"code", "unsupported"}, {"detail", kDetail}},
      401));
}

}  // namespace pleiad::api::ollama
