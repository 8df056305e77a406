#include "media/documents/markup/docx_text.h"

#include <fmt/format.h>

#include "base/text_format.h"
#include "media/documents/markup/bad_markup.h"
#include "media/documents/markup/docx_body.h"
#include "media/documents/markup/zip_parts.h"

namespace pleiad::media {
namespace {

/// _rels/.rels: where the document is.
class PackageRelations : public XmlEvents {
 public:
  void begin(const XmlElement& element) override {
    if (element.name != "Relationship") return;
    if (!element.attribute("Type").ends_with("/officeDocument")) return;
    document_ = element.attribute("Target");
    while (document_.starts_with('/')) document_.erase(0, 1);
  }
  void end(std::string_view) override {}
  void text(std::string_view) override {}

  const std::string& document() const { return document_; }

 private:
  std::string document_;
};

bool read_part(ZipParts& parts, const std::string& name, XmlEvents& events) {
  XmlParser parser(events);
  if (!parts.read(name, [&](std::string_view piece) { parser.take(piece); })) return false;
  parser.finish();
  return true;
}

DocxNotes read_notes(ZipParts& parts, const std::string& name, const DocxStyles& styles,
                     DocxNumbering& numbering) {
  const DocxNotes none;
  DocxBody notes({styles, numbering, none, none});
  read_part(parts, name, notes);
  return notes.take_notes();
}

std::string path_of_document(ZipParts& parts) {
  PackageRelations relations;
  if (!read_part(parts, "_rels/.rels", relations) || relations.document().empty()) {
    if (parts.has("mimetype"))
      throw BadMarkup("is a ZIP file but no DOCX, such as OpenDocument or EPUB has");
    throw BadMarkup("is a ZIP file but no DOCX: it has no part _rels/.rels that names a document");
  }
  if (relations.document().find("xl/") == 0)
    throw BadMarkup("is a table of Excel (XLSX), which is not read: save it as CSV or PDF");
  if (relations.document().find("ppt/") == 0)
    throw BadMarkup("has slides of PowerPoint (PPTX), which are not read: save them as PDF");
  return relations.document();
}

void warn_of_what_is_left_out(const ZipParts& parts, const std::string& folder,
                              std::int64_t n_pictures, std::vector<std::string>& warnings) {
  if (n_pictures > 0) {
    warnings.push_back(fmt::format("{} {} left out: a document of Word is read as text",
                                   format_count(static_cast<std::uint64_t>(n_pictures)),
                                   n_pictures == 1 ? "picture is" : "pictures are"));
  }
  if (parts.has(folder + "comments.xml")) warnings.push_back("comments are left out");
  if (parts.count(folder + "header", ".xml") + parts.count(folder + "footer", ".xml") > 0) {
    warnings.push_back("headers and footers are left out");
  }
}

ConvertedText convert_docx(std::string_view file) {
  ZipParts parts(file, {});
  const std::string path = path_of_document(parts);
  const std::string folder = path.substr(0, path.rfind('/') + 1);
  DocxStyles styles;
  read_part(parts, folder + "styles.xml", styles);
  DocxNumbering numbering;
  read_part(parts, folder + "numbering.xml", numbering);
  const DocxNotes footnotes = read_notes(parts, folder + "footnotes.xml", styles, numbering);
  const DocxNotes endnotes = read_notes(parts, folder + "endnotes.xml", styles, numbering);
  DocxBody body({styles, numbering, footnotes, endnotes});
  if (!read_part(parts, path, body)) {
    throw BadMarkup("is damaged: the part {} is not there", printable(path));
  }
  ConvertedText converted;
  converted.text = body.take();
  warn_of_what_is_left_out(parts, folder, body.n_pictures(), converted.warnings);
  return converted;
}

}  // namespace

Result<ConvertedText> docx_to_text(std::string_view file) {
  try {
    return convert_docx(file);
  } catch (const BadMarkup& error) {
    return Failure{error.what()};
  }
}

}  // namespace pleiad::media
