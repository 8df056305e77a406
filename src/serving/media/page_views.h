#pragma once

#include <functional>

#include "serving/media/media_tools.h"
#include "serving/service.h"

namespace pleiad::serving {

/// Throws RequestError that names the document's field: it is no PDF, has no such page, or cannot
/// be read here. `stop` is asked several times a second; once it says true, nobody waits any more.
PageViews make_page_views(const PagesRequest& request, const MediaTools& tools,
                          const std::function<bool()>& stop);

}  // namespace pleiad::serving
