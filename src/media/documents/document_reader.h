#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "media/documents/document.h"
#include "media/documents/missing_programs.h"
#include "media/reader.h"

namespace pleiad::media {

enum class DocumentKind : std::uint8_t;
struct Patience;

/// What a document may cost.
struct DocumentLimits {
  std::size_t max_bytes = std::size_t{64} << 20;        // of a file
  std::size_t max_text_bytes = std::size_t{16} << 20;   // of all its pages together
  int max_pages = 2'000;                                // that are read of one
  int max_pictures = 100;                               // pages of one that become pictures
  std::int64_t max_picture_tokens = 40'000;             // soft tokens of these at most: 276 MB
  double seconds = 60;                                  // to read one, once its turn has come
  double seconds_a_picture = 20;                        // of these, to draw one page
  std::uint64_t memory_bytes = std::uint64_t{2} << 30;  // addresses of each process that reads
  int max_processes = 4;  // documents that are read at a time; others wait for their turn
};

/// Documents -> text and pictures of pages. Text files are read in this process, which looks at
/// each of their bytes once; all else by processes that can do nothing but that: PDF by poppler's
/// programs (pdfinfo, pdftotext, pdftoppm of Debian's poppler-utils), HTML and DOCX by this
/// program's own file. docs/security.md says what such a process may do.
///
/// Thread-safe. Nothing is started before the first document.
class DocumentReader {
 public:
  /// `program`: how this program is started to confine itself and then convert, or become one of
  /// poppler's (documents/run_converter.h).
  DocumentReader(HelperProgram program, DocumentLimits limits);
  /// Looks for poppler's programs in these folders instead of those of the system.
  DocumentReader(HelperProgram program, DocumentLimits limits,
                 std::vector<std::filesystem::path> poppler_folders);
  ~DocumentReader();  // no thread may be in read()
  DocumentReader(const DocumentReader&) = delete;
  DocumentReader& operator=(const DocumentReader&) = delete;

  /// Waits. `name` is what somebody calls the file, and may be empty. A Failure is for whom the
  /// document came from: a sentence without its subject, such as "is a PDF that needs a password".
  /// `stop` (may be empty) is asked several times a second; where it is true the document is given
  /// up with a Failure. Throws MissingPrograms where this machine lacks what reads such documents,
  /// and Error where it cannot confine it.
  Result<Document> read(std::span<const std::byte> bytes, std::string_view name,
                        const DocumentOptions& options, const std::function<bool()>& stop = {});

 private:
  class Processes;
  Result<Document> read_text(std::span<const std::byte> bytes, std::string_view name) const;
  Result<Document> convert(std::span<const std::byte> bytes, DocumentKind kind,
                           const Patience& patience) const;

  DocumentLimits limits_;
  std::unique_ptr<Processes> processes_;
};

}  // namespace pleiad::media
