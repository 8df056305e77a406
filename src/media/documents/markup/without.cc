// HTML and DOCX where this program is built without libxml2 or libzip.

#include "media/documents/markup/docx_text.h"
#include "media/documents/markup/html_text.h"
#include "media/documents/markup/load_libraries.h"

namespace pleiad::media {

void load_markup_libraries() {}

Result<ConvertedText> html_to_text(std::string_view) {
  return Failure{
      "is an HTML page that this program cannot read: it was built without libxml2 and libzip"};
}

Result<ConvertedText> docx_to_text(std::string_view) {
  return Failure{
      "is a document of Word that this program cannot read: it was built without libxml2 and "
      "libzip"};
}

}  // namespace pleiad::media
