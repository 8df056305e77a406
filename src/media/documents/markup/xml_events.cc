#include "media/documents/markup/xml_events.h"

#include <algorithm>
#include <exception>

#include "base/text_format.h"
#include "media/documents/markup/bad_markup.h"
#include "media/documents/markup/libraries.h"

namespace pleiad::media {
namespace {

std::string_view xml_view(const xmlChar* text) {
  return text ? std::string_view(reinterpret_cast<const char*>(text)) : std::string_view();
}

}  // namespace

std::string_view XmlElement::attribute(std::string_view wanted) const {
  const auto at = std::ranges::find(attributes, wanted, &Attribute::name);
  return at == attributes.end() ? std::string_view() : at->value;
}

bool XmlElement::has_attribute(std::string_view wanted) const {
  return std::ranges::find(attributes, wanted, &Attribute::name) != attributes.end();
}

/// The parser, and what an event of it threw: exceptions do not go through the library.
class XmlParser::State {
 public:
  explicit State(XmlEvents& events) : events_(events) {
    xmlSAXHandler handler = {};
    handler.initialized = XML_SAX2_MAGIC;
    handler.startElementNs = &State::on_begin;
    handler.endElementNs = [](void* user, const xmlChar* name, const xmlChar*, const xmlChar*) {
      self(user).guard([&] { self(user).events_.end(xml_view(name)); });
    };
    handler.characters = [](void* user, const xmlChar* text, int n) {
      const std::string_view view(reinterpret_cast<const char*>(text), static_cast<std::size_t>(n));
      self(user).guard([&] { self(user).events_.text(view); });
    };
    handler.ignorableWhitespace = handler.characters;
    handler.cdataBlock = handler.characters;
    handler.internalSubset = [](void* user, const xmlChar*, const xmlChar*, const xmlChar*) {
      self(user).guard([] {
        throw BadMarkup("has a document type definition, which documents of Word do not have");
      });
    };
    parser_ = xml_.xmlCreatePushParserCtxt(&handler, this, nullptr, 0, nullptr);
    if (!parser_) throw std::bad_alloc();
    xml_.xmlCtxtUseOptions(parser_, XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
  }
  ~State() { xml_.xmlFreeParserCtxt(parser_); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void parse(std::string_view piece, bool is_last) {
    const int error =
        xml_.xmlParseChunk(parser_, piece.data(), static_cast<int>(piece.size()), is_last ? 1 : 0);
    if (thrown_) std::rethrow_exception(thrown_);
    if (error == XML_ERR_OK || parser_->wellFormed) return;
    const xmlError* last = xml_.xmlCtxtGetLastError(parser_);
    std::string why = last && last->message ? last->message : "";
    while (why.ends_with('\n')) why.pop_back();
    throw BadMarkup("has damaged XML: line {}: {}", last ? last->line : 0, printable(why));
  }

 private:
  static State& self(void* user) { return *static_cast<State*>(user); }

  template <typename Act>
  void guard(const Act& act) {
    if (thrown_) return;
    try {
      act();
    } catch (...) {
      thrown_ = std::current_exception();
      xml_.xmlStopParser(parser_);
    }
  }

  static void on_begin(void* user, const xmlChar* name, const xmlChar*, const xmlChar* name_space,
                       int, const xmlChar**, int n_attributes, int, const xmlChar** attributes) {
    self(user).guard([&] {
      XmlElement& element = self(user).element_;
      element.name = xml_view(name);
      element.name_space = xml_view(name_space);
      element.attributes.clear();
      // Five pointers each: name, prefix, URI, the value's beginning and end.
      for (int i = 0; i < n_attributes; ++i, attributes += 5) {
        const auto* begin = reinterpret_cast<const char*>(attributes[3]);
        const auto* end = reinterpret_cast<const char*>(attributes[4]);
        element.attributes.push_back(
            {xml_view(attributes[0]), {begin, static_cast<std::size_t>(end - begin)}});
      }
      self(user).events_.begin(element);
    });
  }

  const MarkupLibraries& xml_ = markup_libraries();
  XmlEvents& events_;
  XmlElement element_;
  xmlParserCtxtPtr parser_ = nullptr;
  std::exception_ptr thrown_;
};

XmlParser::XmlParser(XmlEvents& events) : state_(std::make_unique<State>(events)) {}

XmlParser::~XmlParser() = default;

void XmlParser::take(std::string_view piece) { state_->parse(piece, false); }

void XmlParser::finish() { state_->parse({}, true); }

}  // namespace pleiad::media
