#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "media/documents/document.h"
#include "media/documents/document_reader.h"
#include "media/documents/page_ranges.h"
#include "media/documents/pdf/pdf_info.h"
#include "media/documents/pdf/poppler.h"
#include "media/documents/process/confined_program.h"
#include "sandbox/descriptor.h"

namespace pleiad::media {

/// Reads one PDF by poppler's programs, each a confined process: pdfinfo counts the pages, one
/// pdftotext has the text of all that were asked for, one pdftoppm draws each of those that are to
/// be shown.
class PdfReader {
 public:
  PdfReader(const HelperProgram& program, const Poppler& poppler, const DocumentLimits& limits,
            std::string_view bytes, const Patience& patience);

  /// Throws Error, as DocumentReader::read() does.
  Result<Document> read(const std::vector<PageRange>& ranges, const DocumentOptions& options);

 private:
  /// Runs one of the programs on the document; a Failure where it does not end well.
  Result<std::string> run(const std::filesystem::path& path, std::vector<std::string> arguments,
                          std::size_t max_output, double seconds);
  Failure failure_of(const ProgramResult& result, double seconds) const;

  Result<int> count_pages();
  /// The text of each of these, which are ascending and not none.
  std::optional<Failure> read_texts(std::span<DocumentPage> pages, int& n_runs);
  /// The pictures of those pages that `wanted` says.
  std::optional<Failure> draw(Document& document, const std::vector<std::size_t>& wanted,
                              std::optional<int> budget);
  Result<std::vector<PdfPageSize>> page_sizes(int first, int last);

  const HelperProgram& program_;
  const Poppler& poppler_;
  const DocumentLimits& limits_;
  const Patience patience_;
  sandbox::Descriptor file_;
  bool misses_fonts_ = false;  // that were wanted to draw a page
};

}  // namespace pleiad::media
