// Pages of a PDF as small pictures: for people, who want to see what they attach.
#include <cmath>
#include <utility>

#include "api/common/body_limits.h"
#include "api/common/cancel_link.h"
#include "api/common/field_reader.h"
#include "api/common/media_reader.h"
#include "api/common/options.h"
#include "api/common/request_error.h"
#include "api/common/request_json.h"
#include "api/ollama/errors.h"
#include "api/ollama/route_groups.h"
#include "base/base64.h"

namespace pleiad::api::ollama {
namespace {

using serving::PageViews;
using serving::ServiceError;

struct PagesBody {
  serving::PagesRequest request;
  std::vector<std::string> warnings;
};

PagesBody parse_pages(std::string_view text) {
  const Json json = parse_request(text);
  FieldReader fields(json);
  PagesBody body;
  RequestNotes notes;
  MediaReader media(notes);
  (void)media.read_base64(fields.required_text("document"), "", "document", "document",
                          serving::MediaKind::document);
  media.last().name = fields.text("name").value_or("");
  media.last().pages = fields.text("pages").value_or("");
  body.request.document = media.take().front();
  body.request.most_pages = static_cast<int>(
      fields.integer("limit", 1, serving::kMostPageViews).value_or(serving::kMostPageViews));
  warn_of_unknown(fields, body.warnings);
  return body;
}

Json views_json(const PageViews& views, std::vector<std::string> warnings) {
  Json pages = Json::array();
  for (const serving::PageView& view : views.pages) {
    Json& page = pages.emplace_back(Json{{"number", view.number}});
    if (view.png.empty()) continue;
    page["width"] = view.size.width;
    page["height"] = view.size.height;
    page["aspect"] = std::round(view.aspect * 10'000) / 10'000;
    page["png"] = encode_base64(view.png);
  }
  warnings.insert(warnings.end(), views.warnings.begin(), views.warnings.end());
  Json answer = {{"total_pages", views.total_pages}, {"pages", std::move(pages)}};
  if (!warnings.empty()) answer["warnings"] = std::move(warnings);
  return answer;
}

void serve_pages(ApiContext& context, PagesBody body, const Exchange& exchange) {
  exchange->warn(body.warnings);
  const auto link = CancelLink::on(*exchange);
  link->hold(context.service.view_pages(
      std::move(body.request), [exchange, link, warnings = std::move(body.warnings)](
                                   const std::variant<PageViews, ServiceError>& outcome) {
        link->release();
        if (const auto* error = std::get_if<ServiceError>(&outcome)) {
          return exchange->respond(error_response(*error, ""));
        }
        exchange->respond(json_response(views_json(std::get<PageViews>(outcome), warnings)));
      }));
}

}  // namespace

void add_page_routes(Routes& routes, ApiContext& context) {
  routes.push_back({"POST",
                    "/api/pages",
                    http::Scope::use,
                    [&context](const http::Request& request, const Exchange& exchange) {
                      serve_pages(context, parse_pages(request.body), exchange);
                    },
                    {},
                    kAnswerBodyBytes});
}

}  // namespace pleiad::api::ollama
