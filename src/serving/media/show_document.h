#pragma once

#include <string_view>

#include "engine/media/media_prompt.h"
#include "media/documents/document.h"
#include "serving/media/show_media.h"

namespace pleiad::serving {

/// As a model is shown it: "<document>", its name where it has one, each page under "Page 3:" so
/// that an answer can say where something stands (documents without pages have no such lines), and
/// pages without text as pictures.
ShownMedia show_document(media::Document document, std::string_view name,
                         const VisionPrompt& vision, const MediaHold& hold);

}  // namespace pleiad::serving
