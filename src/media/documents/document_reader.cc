#include "media/documents/document_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <csignal>

#include "base/clock.h"
#include "base/text_format.h"
#include "media/budget.h"
#include "media/documents/document_kind.h"
#include "media/documents/markup/converted_text.h"
#include "media/documents/page_ranges.h"
#include "media/documents/pdf/pdf_reader.h"
#include "media/documents/pdf/poppler.h"
#include "media/documents/process/confined_program.h"
#include "media/documents/text_encoding.h"
#include "media/turns.h"

namespace pleiad::media {
namespace {

std::string_view text_view(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Document document_of(std::string format, std::string text, std::vector<std::string> warnings) {
  Document document;
  document.format = std::move(format);
  document.pages.push_back({1, std::move(text), std::nullopt});
  document.warnings = std::move(warnings);
  return document;
}

Failure too_much_text(std::size_t most) {
  return {fmt::format("has more than {} of text, which is more than is read", format_bytes(most))};
}

std::string_view noun_of(DocumentKind kind) {
  return kind == DocumentKind::docx ? "document" : "page";
}

Failure failure_of_conversion(const ProgramResult& result, DocumentKind kind,
                              const DocumentLimits& limits) {
  using End = ProgramResult::End;
  switch (result.end) {
    case End::stopped:
      return {"was given up"};
    case End::late:
      return {fmt::format("is a {} that takes more than {} to be read", noun_of(kind),
                          format_seconds(limits.seconds))};
    case End::too_long:
      return too_much_text(limits.max_text_bytes);
    case End::killed:
      return {fmt::format("is a {} that made its converter crash", noun_of(kind))};
    case End::exited:
      break;
  }
  if (result.status == kConverterFailed && !result.errors.empty()) {
    return {printable(result.errors, 500)};
  }
  return {fmt::format("is a {} that made its converter crash", noun_of(kind))};
}

}  // namespace

class DocumentReader::Processes {
 public:
  Processes(HelperProgram own, std::vector<std::filesystem::path> poppler_folders, int n_at_a_time)
      : program(std::move(own)), folders(std::move(poppler_folders)), turns(n_at_a_time) {}

  const HelperProgram program;
  const std::vector<std::filesystem::path> folders;
  Turns turns;
};

DocumentReader::DocumentReader(HelperProgram program, DocumentLimits limits)
    : DocumentReader(std::move(program), limits,
                     {std::begin(kPopplerFolders), std::end(kPopplerFolders)}) {}

DocumentReader::DocumentReader(HelperProgram program, DocumentLimits limits,
                               std::vector<std::filesystem::path> poppler_folders)
    : limits_(limits),
      processes_(std::make_unique<Processes>(std::move(program), std::move(poppler_folders),
                                             limits.max_processes)) {}

DocumentReader::~DocumentReader() = default;

Result<Document> DocumentReader::read_text(std::span<const std::byte> bytes,
                                           std::string_view name) const {
  auto decoded = decode_text(bytes);
  if (!decoded) return Failure{decoded.message()};
  if (decoded.value().text.size() > limits_.max_text_bytes) {
    return too_much_text(limits_.max_text_bytes);
  }
  return document_of(std::string(text_format_of_name(name)), std::move(decoded.value().text),
                     std::move(decoded.value().warnings));
}

Result<Document> DocumentReader::convert(std::span<const std::byte> bytes, DocumentKind kind,
                                         const Patience& patience) const {
  const bool is_html = kind == DocumentKind::html;
  std::vector<std::string> warnings;
  std::string page;
  if (is_html) {
    auto decoded = decode_text(bytes);
    if (!decoded) return Failure{decoded.message()};
    page = std::move(decoded.value().text);
    warnings = std::move(decoded.value().warnings);
  }
  const sandbox::Descriptor file = sandbox::file_in_memory(is_html ? page : text_view(bytes));
  const ProgramLimits limits = {limits_.memory_bytes,
                                static_cast<std::uint64_t>(std::ceil(limits_.seconds)) + 1};
  // Room for warnings and the words around them.
  constexpr std::size_t kAround = 16 << 10;
  const ProgramResult result =
      run_confined_program(processes_->program,
                           {converter_words(is_html ? "html" : "docx", limits), file.get(),
                            limits_.max_text_bytes + kAround},
                           patience);
  if (result.end != ProgramResult::End::exited || result.status != 0) {
    return failure_of_conversion(result, kind, limits_);
  }
  auto converted = from_wire(result.output);
  if (!converted) return Failure{converted.message()};
  std::size_t n_controls = 0;
  std::size_t n_replaced = 0;
  std::string text = clean_utf8(converted.value().text, n_controls, n_replaced);
  warnings.insert(warnings.end(), converted.value().warnings.begin(),
                  converted.value().warnings.end());
  return document_of(is_html ? "HTML" : "DOCX", std::move(text), std::move(warnings));
}

Result<Document> DocumentReader::read(std::span<const std::byte> bytes, std::string_view name,
                                      const DocumentOptions& options,
                                      const std::function<bool()>& stop) {
  const auto ranges = parse_page_ranges(options.pages);
  if (!ranges) return Failure{ranges.message()};
  if (auto refused = refuse_options(PictureOptions{options.budget})) return *std::move(refused);
  if (bytes.empty()) return Failure{"is empty"};
  if (bytes.size() > limits_.max_bytes) {
    return Failure{fmt::format("has {}; at most {} are read", format_bytes(bytes.size()),
                               format_bytes(limits_.max_bytes))};
  }
  const auto kind = sniff_document(bytes, name);
  if (!kind) return Failure{not_a_document(bytes)};
  if (*kind != DocumentKind::pdf && !options.pages.empty()) {
    return Failure{"is no PDF, so that it has no pages to choose from"};
  }
  if (*kind != DocumentKind::pdf && options.pages_as == DocumentOptions::PagesAs::image) {
    return Failure{"is no PDF, so that it has no pages to be shown as pictures"};
  }
  if (*kind == DocumentKind::text) return read_text(bytes, name);
  std::optional<Poppler> poppler;
  if (*kind == DocumentKind::pdf) poppler = find_poppler(processes_->folders);
  const auto turn = processes_->turns.take(stop);
  if (!turn) return Failure{"was given up"};
  const Patience patience = {monotonic_seconds() + limits_.seconds, stop};
  if (*kind != DocumentKind::pdf) return convert(bytes, *kind, patience);
  PdfReader reader(processes_->program, *poppler, limits_, text_view(bytes), patience);
  return reader.read(ranges.value(), options);
}

}  // namespace pleiad::media
