#include "serving/media/page_views.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/clock.h"
#include "media/budget.h"
#include "media/encode_png.h"
#include "serving/media/check_towers.h"
#include "serving/media/reading_problem.h"
#include "serving/request_error.h"

namespace pleiad::serving {
namespace {

media::Document read_pages(const PagesRequest& request, const MediaTools& tools,
                           const std::function<bool()>& stop) {
  const MediaPart& part = request.document;
  if (!tools.read_document) refuse_part(part, "this server reads no documents");
  media::DocumentOptions options;
  options.pages = part.pages.empty() ? "1-" : part.pages;  // which no other document has
  options.most_pages = std::clamp(request.most_pages, 1, kMostPageViews);
  options.pages_as = media::DocumentOptions::PagesAs::image;
  options.budget = media::kBudgets.front();
  const double end = monotonic_seconds() + tools.seconds;
  const auto is_late = [end] { return monotonic_seconds() > end; };
  try {
    auto document = tools.read_document(std::as_bytes(std::span(*part.bytes)), part.name, options,
                                        [&] { return stop() || is_late(); });
    if (is_late()) {
      refuse_part(part, fmt::format("takes longer than {:.0f} s to be drawn", tools.seconds));
    }
    if (!document) refuse_part(part, document.message());
    return std::move(document).value();
  } catch (const RequestError&) {
    throw;
  } catch (const Error& error) {
    throw RequestError(reading_problem(part, error));
  }
}

}  // namespace

PageViews make_page_views(const PagesRequest& request, const MediaTools& tools,
                          const std::function<bool()>& stop) {
  media::Document document = read_pages(request, tools, stop);
  PageViews views;
  views.total_pages = document.n_pages;
  for (const media::DocumentPage& page : document.pages) {
    PageView& view = views.pages.emplace_back();
    view.number = page.number;
    if (!page.picture) continue;
    view.size = page.picture->pixels.size;
    const media::PictureSize& drawn = page.picture->original;
    view.aspect = static_cast<double>(drawn.width) / std::max(1, drawn.height);
    view.png = media::encode_png(page.picture->pixels);
  }
  for (const std::string& warning : document.warnings) {
    views.warnings.push_back(fmt::format("{}: {}", request.document.field, warning));
  }
  return views;
}

}  // namespace pleiad::serving
