#include "media/documents/markup/html_text.h"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/ascii.h"
#include "media/documents/markup/bad_markup.h"
#include "media/documents/markup/libraries.h"
#include "media/documents/markup/text_layout.h"

namespace pleiad::media {
namespace {

template <std::size_t n>
bool is_one_of(std::string_view name, const std::array<std::string_view, n>& names) {
  return std::ranges::find(names, name) != names.end();
}

/// What is in these is not read by anybody who sees the page.
constexpr std::array<std::string_view, 14> kUnseen = {
    "script", "style",    "template", "iframe", "object", "embed", "applet",
    "canvas", "noframes", "svg",      "audio",  "video",  "map",   "datalist"};

constexpr std::array<std::string_view, 31> kHtmlBlocks = {
    "p",       "div",     "section",    "article", "header",   "footer",  "main",  "nav",
    "aside",   "table",   "form",       "figure",  "fieldset", "address", "dl",    "blockquote",
    "h1",      "h2",      "h3",         "h4",      "h5",       "h6",      "pre",   "hr",
    "details", "caption", "figcaption", "title",   "body",     "center",  "hgroup"};

constexpr std::array<std::string_view, 8> kHtmlLines = {"br",     "dt",     "dd",    "summary",
                                                        "legend", "option", "thead", "tbody"};

std::string_view view_of(const xmlChar* text) {
  return text ? std::string_view(reinterpret_cast<const char*>(text)) : std::string_view();
}

std::optional<std::string_view> attribute_of(const xmlChar** attributes, std::string_view name) {
  for (; attributes && attributes[0]; attributes += 2) {
    if (view_of(attributes[0]) == name) return view_of(attributes[1]);
  }
  return std::nullopt;
}

bool is_styled_away(const xmlChar** attributes) {
  if (attribute_of(attributes, "hidden")) return true;
  const auto style = attribute_of(attributes, "style");
  if (!style) return false;
  std::string compact = ascii_lower(*style);
  std::erase_if(compact, [](char c) { return c == ' ' || c == '\t' || c == '\n'; });
  return compact.find("display:none") != std::string::npos ||
         compact.find("visibility:hidden") != std::string::npos;
}

/// Follows the parser's events.
class PageText {
 public:
  void begin(std::string_view name, const xmlChar** attributes) {
    if (n_unseen_ > 0) {
      ++n_unseen_;
      return;
    }
    if (is_one_of(name, kUnseen) || is_styled_away(attributes)) {
      n_unseen_ = 1;
      return;
    }
    if (is_one_of(name, kHtmlBlocks)) layout_.break_block();
    if (is_one_of(name, kHtmlLines)) layout_.break_line();
    if (name == "pre" || name == "textarea") ++n_verbatim_;
    if (name == "title") layout_.mark_line("# ");
    if (name.size() == 2 && name[0] == 'h' && name[1] >= '1' && name[1] <= '6') {
      layout_.mark_line(std::string(static_cast<std::size_t>(name[1] - '0'), '#') + " ");
    }
    if (name == "ul" || name == "ol" || name == "menu") begin_list(name == "ol", attributes);
    if (name == "li") begin_point();
    if (name == "tr") layout_.begin_row();
    if (name == "td" || name == "th") layout_.begin_cell();
    if (name == "img") {
      const auto alt = attribute_of(attributes, "alt");
      if (alt && !alt->empty()) layout_.add("[image: " + std::string(*alt) + "]");
    }
  }

  void end(std::string_view name) {
    if (n_unseen_ > 0) {
      --n_unseen_;
      return;
    }
    if (name == "pre" || name == "textarea") n_verbatim_ -= n_verbatim_ > 0;
    if ((name == "ul" || name == "ol" || name == "menu") && !numbers_.empty()) {
      numbers_.pop_back();
      layout_.end_list();
    }
    if (name == "td" || name == "th") layout_.end_cell();
    if (name == "tr") layout_.end_row();
    if (is_one_of(name, kHtmlBlocks)) layout_.break_block();
    if (is_one_of(name, kHtmlLines) || name == "li") layout_.break_line();
  }

  void add(std::string_view text) {
    if (n_unseen_ > 0) return;
    if (n_verbatim_ > 0) {
      layout_.add_verbatim(text);
    } else {
      layout_.add(text);
    }
  }

  std::string take() { return layout_.take(); }

 private:
  static constexpr int kBullets = std::numeric_limits<int>::min();

  void begin_list(bool is_numbered, const xmlChar** attributes) {
    layout_.begin_list();
    int first = 1;
    if (const auto start = attribute_of(attributes, "start"); start && start->size() <= 6) {
      first = std::atoi(std::string(*start).c_str());
    }
    numbers_.push_back(is_numbered ? first : kBullets);
  }

  void begin_point() {
    const bool is_numbered = !numbers_.empty() && numbers_.back() != kBullets;
    layout_.begin_point(is_numbered ? std::to_string(numbers_.back()++) + ". " : "- ");
  }

  TextLayout layout_;
  std::vector<int> numbers_;  // of the lists that are open
  int n_unseen_ = 0;          // elements that are open within what nobody sees, with that
  int n_verbatim_ = 0;
};

PageText& page_of(void* user) { return *static_cast<PageText*>(user); }

htmlSAXHandler page_events() {
  htmlSAXHandler events = {};
  events.startElement = [](void* user, const xmlChar* name, const xmlChar** attributes) {
    page_of(user).begin(view_of(name), attributes);
  };
  events.endElement = [](void* user, const xmlChar* name) { page_of(user).end(view_of(name)); };
  events.characters = [](void* user, const xmlChar* text, int n) {
    page_of(user).add({reinterpret_cast<const char*>(text), static_cast<std::size_t>(n)});
  };
  events.ignorableWhitespace = events.characters;
  // Scripts and styles, which are unseen.
  events.cdataBlock = [](void*, const xmlChar*, int) {};
  return events;
}

}  // namespace

Result<ConvertedText> html_to_text(std::string_view page) try {
  const MarkupLibraries& xml = markup_libraries();
  if (page.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    return Failure{"is too long a page"};
  }
  ConvertedText converted;
  PageText text;
  const std::unique_ptr<htmlParserCtxt, decltype(&::htmlFreeParserCtxt)> parser(
      xml.htmlNewParserCtxt(), xml.htmlFreeParserCtxt);
  if (!parser) return Failure{"needs more memory than there is"};
  *parser->sax = page_events();
  parser->userData = &text;
  constexpr int kOptions = HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING | HTML_PARSE_NONET |
                           HTML_PARSE_IGNORE_ENC | HTML_PARSE_RECOVER;
  xml.htmlCtxtReadMemory(parser.get(), page.data(), static_cast<int>(page.size()), nullptr, "UTF-8",
                         kOptions);
  converted.text = text.take();
  return converted;
} catch (const BadMarkup& error) {
  return Failure{error.what()};
}

}  // namespace pleiad::media
