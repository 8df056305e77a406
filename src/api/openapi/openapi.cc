#include "api/openapi/openapi.h"

namespace pleiad::api {

void add_openapi_route(http::Router& router) {
  router.add({.method = "GET",
              .pattern = "/openapi.json",
              .scope = http::Scope::open,
              .handler = [](http::Request, std::shared_ptr<http::Exchange> exchange) {
                http::Response response;
                response.body = openapi_document();
                exchange->respond(std::move(response));
              }});
}

}  // namespace pleiad::api
