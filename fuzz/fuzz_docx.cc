// Any bytes at all, read as a document of Word. With a first byte of 0 they are the ZIP file, else
// they are the document's own part in one, whose XML a fuzzer finds its way into.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "media/documents/markup/bad_markup.h"
#include "media/documents/markup/docx_body.h"
#include "media/documents/markup/docx_text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pleiad::media;
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] == 0) {
    const auto text = docx_to_text(bytes);
    if (!text && text.message().empty()) std::abort();
    return 0;
  }
  try {
    DocxStyles styles;
    DocxNumbering numbering;
    const DocxNotes notes;
    DocxBody body({styles, numbering, notes, notes});
    for (XmlEvents* events : {static_cast<XmlEvents*>(&styles), static_cast<XmlEvents*>(&numbering),
                              static_cast<XmlEvents*>(&body)}) {
      XmlParser parser(*events);
      // In two pieces, as parts come.
      parser.take(bytes.substr(0, size / 2));
      parser.take(bytes.substr(std::min(size / 2, bytes.size())));
      parser.finish();
    }
    static_cast<void>(body.take());
    static_cast<void>(body.take_notes());
  } catch (const BadMarkup&) {
  }
  return 0;
}
