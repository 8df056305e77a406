#include "media/documents/pdf/pdf_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <map>

#include "base/clock.h"
#include "base/error.h"
#include "base/text_format.h"
#include "media/documents/pdf/page_picture.h"
#include "media/documents/pdf/pdf_text.h"

namespace pleiad::media {
namespace {

using PagesAs = DocumentOptions::PagesAs;

constexpr std::size_t kMaxInfo = std::size_t{1} << 20;  // of what pdfinfo says
/// Where the pages of one pdftotext cannot be told apart, halves of them are asked for, until this.
constexpr int kMaxTextRuns = 200;

/// "page 3", "pages 3, 5 to 7 and 9"
std::string names_of(const std::vector<int>& pages) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < pages.size();) {
    std::size_t last = i;
    while (last + 1 < pages.size() && pages[last + 1] == pages[last] + 1) ++last;
    names.push_back(last == i ? fmt::format("{}", pages[i])
                              : fmt::format("{} to {}", pages[i], pages[last]));
    i = last + 1;
  }
  constexpr std::size_t kMaxNames = 20;
  std::string text = pages.size() == 1 ? "page " : "pages ";
  for (std::size_t i = 0; i < names.size() && i < kMaxNames; ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += names[i];
  }
  if (names.size() > kMaxNames) text += " and others";
  return text;
}

/// What poppler says of a document first, in words for whom it came from.
std::string reason_of(std::string_view errors) {
  while (errors.starts_with('\n')) errors.remove_prefix(1);
  const std::string_view reason = errors.substr(0, errors.find('\n'));
  return reason.empty() ? "poppler does not say why" : printable(reason, 200);
}

}  // namespace

PdfReader::PdfReader(const HelperProgram& program, const Poppler& poppler,
                     const DocumentLimits& limits, std::string_view bytes, const Patience& patience)
    : program_(program),
      poppler_(poppler),
      limits_(limits),
      patience_(patience),
      file_(sandbox::file_in_memory(bytes)) {}

Failure PdfReader::failure_of(const ProgramResult& result, double seconds) const {
  using End = ProgramResult::End;
  switch (result.end) {
    case End::stopped:
      return {"was given up"};
    case End::late:
      return {fmt::format("is a PDF that takes more than {} to be read", format_seconds(seconds))};
    case End::too_long:
      return {"is a PDF that is read as more than it may be"};
    case End::killed:
      if (result.status == SIGKILL) {
        return {
            "is a PDF that could not be read: the system ended poppler, as it does where memory "
            "is short"};
      }
      return {"is a PDF that made poppler crash"};
    case End::exited:
      break;
  }
  if (result.errors.find("Incorrect password") != std::string::npos) {
    return {"is a PDF that needs a password"};
  }
  if (result.errors.find("after the last page (0)") != std::string::npos) {
    return {fmt::format("is a PDF without pages: {}", reason_of(result.errors))};
  }
  return {fmt::format("is a PDF that cannot be read: {}", reason_of(result.errors))};
}

Result<std::string> PdfReader::run(const std::filesystem::path& path,
                                   std::vector<std::string> arguments, std::size_t max_output,
                                   double seconds) {
  const double now = monotonic_seconds();
  const double left = std::min(seconds, patience_.deadline - now);
  if (left <= 0) {
    return Failure{fmt::format("is a PDF that takes more than {} to be read",
                               format_seconds(limits_.seconds))};
  }
  arguments.insert(arguments.begin(), path);
  const ProgramLimits limits = {limits_.memory_bytes,
                                static_cast<std::uint64_t>(std::ceil(seconds)) + 1};
  ProgramResult result = run_confined_program(
      program_, {converter_words("program", limits, std::move(arguments)), file_.get(), max_output},
      {now + left, patience_.stop});
  if (result.end != ProgramResult::End::exited || result.status != 0) {
    return failure_of(result, std::min(seconds, limits_.seconds));
  }
  misses_fonts_ |= result.errors.find("Couldn't find a font") != std::string::npos;
  return std::move(result.output);
}

Result<int> PdfReader::count_pages() {
  const auto info = run(poppler_.pdfinfo, {"-enc", "UTF-8", "-"}, kMaxInfo, limits_.seconds);
  if (!info) return Failure{info.message()};
  const auto n_pages = pages_of_info(info.value());
  if (!n_pages) return Failure{"is a PDF that made poppler answer nonsense"};
  if (*n_pages == 0) return Failure{"is a PDF without pages"};
  return *n_pages;
}

std::optional<Failure> PdfReader::read_texts(std::span<DocumentPage> pages, int& n_runs) {
  const int first = pages.front().number;
  const int last = pages.back().number;
  if (++n_runs > kMaxTextRuns) {
    return Failure{"is a PDF whose pages cannot be told apart: choose some of them"};
  }
  const auto text = run(poppler_.pdftotext,
                        {"-f", std::to_string(first), "-l", std::to_string(last), "-enc", "UTF-8",
                         "-eol", "unix", "-", "-"},
                        limits_.max_text_bytes, limits_.seconds);
  if (!text) return Failure{text.message()};
  if (pages.size() == 1) {
    pages.front().text = clean_page(text.value());
    return std::nullopt;
  }
  if (const auto split = split_pages(text.value(), static_cast<std::size_t>(last - first) + 1)) {
    for (DocumentPage& page : pages) {
      page.text = clean_page((*split)[static_cast<std::size_t>(page.number - first)]);
    }
    return std::nullopt;
  }
  // A page that is not there has no form feed, and one whose words have some has more.
  const std::size_t half = pages.size() / 2;
  if (auto failure = read_texts(pages.first(half), n_runs)) return failure;
  return read_texts(pages.subspan(half), n_runs);
}

Result<std::vector<PdfPageSize>> PdfReader::page_sizes(int first, int last) {
  const auto info =
      run(poppler_.pdfinfo,
          {"-f", std::to_string(first), "-l", std::to_string(last), "-enc", "UTF-8", "-"}, kMaxInfo,
          limits_.seconds);
  if (!info) return Failure{info.message()};
  return page_sizes_of_info(info.value());
}

std::optional<Failure> PdfReader::draw(Document& document, const std::vector<std::size_t>& wanted,
                                       std::optional<int> wanted_budget) {
  if (wanted.empty()) return std::nullopt;
  if (wanted.size() > static_cast<std::size_t>(limits_.max_pictures)) {
    return Failure{
        fmt::format("is a PDF of which {} pages would be shown as pictures; at most {} are: choose "
                    "some of them",
                    format_count(wanted.size()),
                    format_count(static_cast<std::uint64_t>(limits_.max_pictures)))};
  }
  const auto sizes =
      page_sizes(document.pages[wanted.front()].number, document.pages[wanted.back()].number);
  if (!sizes) return Failure{sizes.message()};
  std::map<int, PdfPageSize> size_of;
  for (const PdfPageSize& size : sizes.value()) size_of[size.number] = size;
  const auto budget_of = [&](const PdfPageSize& size) {
    return wanted_budget.value_or(automatic_page_budget(size));
  };
  std::int64_t tokens = 0;
  int largest = 0;
  for (const std::size_t index : wanted) {
    const auto size = size_of.find(document.pages[index].number);
    const int budget = size == size_of.end() ? 0 : budget_of(size->second);
    tokens += budget;
    largest = std::max(largest, budget);
  }
  if (tokens > limits_.max_picture_tokens) {
    return Failure{fmt::format(
        "is a PDF of which {} pages would be shown as pictures of {}{} soft tokens; at most {} "
        "together are: choose some of them, or a smaller max_soft_tokens",
        format_count(wanted.size()), wanted_budget ? "" : "up to ",
        format_count(static_cast<std::uint64_t>(largest)),
        format_count(static_cast<std::uint64_t>(limits_.max_picture_tokens)))};
  }
  std::vector<int> blank;
  std::vector<int> unreadable;
  for (const std::size_t index : wanted) {
    DocumentPage& page = document.pages[index];
    const auto size = size_of.find(page.number);
    if (size == size_of.end()) {
      unreadable.push_back(page.number);
      continue;
    }
    const int budget = budget_of(size->second);
    const std::string number = std::to_string(page.number);
    const std::string longer = std::to_string(pixels_of_longer_side(size->second, budget));
    const auto ppm =
        run(poppler_.pdftoppm, {"-f", number, "-l", number, "-cropbox", "-scale-to", longer, "-"},
            most_ppm_bytes(size->second, budget), limits_.seconds_a_picture);
    if (!ppm) return Failure{fmt::format("{} (page {})", ppm.message(), page.number)};
    auto picture = picture_of_ppm(ppm.value(), budget, DecodeLimits().max_side);
    if (!picture) {
      unreadable.push_back(page.number);
      continue;
    }
    page.text.clear();
    if (picture.value().pixels.rgb.empty()) {
      blank.push_back(page.number);
    } else {
      page.picture = std::move(picture).value();
    }
  }
  if (!blank.empty()) {
    document.warnings.push_back(
        fmt::format("{} {} blank", names_of(blank), blank.size() == 1 ? "is" : "are"));
  }
  if (misses_fonts_) {
    document.warnings.push_back(
        "this machine has no font for some of the text, which pictures of pages may miss");
  }
  if (!unreadable.empty()) {
    document.warnings.push_back(fmt::format("{} {} damaged and could not be drawn",
                                            names_of(unreadable),
                                            unreadable.size() == 1 ? "is" : "are"));
  }
  return std::nullopt;
}

Result<Document> PdfReader::read(const std::vector<PageRange>& ranges,
                                 const DocumentOptions& options) {
  const auto n_pages = count_pages();
  if (!n_pages) return Failure{n_pages.message()};
  // A document may claim any number of pages: none is made room for before it is asked for.
  constexpr int kMostPages = 10'000'000;
  if (n_pages.value() > kMostPages)
    return Failure{"is a PDF that claims more pages than there are"};
  auto numbers = pages_of(ranges, n_pages.value());
  if (!numbers) return Failure{fmt::format("is a PDF that {}", numbers.message())};
  if (options.most_pages > 0 && std::ssize(numbers.value()) > options.most_pages) {
    numbers.value().resize(static_cast<std::size_t>(options.most_pages));
  }
  if (numbers.value().size() > static_cast<std::size_t>(limits_.max_pages)) {
    return Failure{
        fmt::format("is a PDF of which {} pages are asked for; at most {} are read: "
                    "choose some of them",
                    format_count(numbers.value().size()),
                    format_count(static_cast<std::uint64_t>(limits_.max_pages)))};
  }
  Document document;
  document.format = "PDF";
  document.has_pages = true;
  document.n_pages = n_pages.value();
  for (const int number : numbers.value()) document.pages.push_back({number, {}, {}});
  if (options.pages_as != PagesAs::image) {
    int n_runs = 0;
    if (auto failure = read_texts(document.pages, n_runs)) return *std::move(failure);
  }
  std::vector<std::size_t> to_draw;
  std::vector<int> without_text;
  for (std::size_t i = 0; i < document.pages.size(); ++i) {
    const bool has_text = has_readable_text(document.pages[i].text);
    const bool is_drawn =
        options.pages_as == PagesAs::image || (options.pages_as == PagesAs::automatic && !has_text);
    if (is_drawn) to_draw.push_back(i);
    if (options.pages_as == PagesAs::text && !has_text) {
      without_text.push_back(document.pages[i].number);
    }
  }
  if (auto failure = draw(document, to_draw, options.budget)) return *std::move(failure);
  if (!without_text.empty()) {
    document.warnings.push_back(
        fmt::format("{} {} hardly any text, as scans have: shown as {} they could be read",
                    names_of(without_text), without_text.size() == 1 ? "has" : "have",
                    without_text.size() == 1 ? "a picture" : "pictures"));
  }
  return document;
}

}  // namespace pleiad::media
