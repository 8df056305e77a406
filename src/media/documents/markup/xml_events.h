#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pleiad::media {

/// An element of XML as it begins.
struct XmlElement {
  std::string_view name;        // without its prefix
  std::string_view name_space;  // its URI
  struct Attribute {
    std::string_view name;  // without its prefix
    std::string_view value;
  };
  std::vector<Attribute> attributes;

  /// Empty where it is not there.
  std::string_view attribute(std::string_view wanted) const;
  bool has_attribute(std::string_view wanted) const;
};

/// What is done with a part of a document as it is read.
class XmlEvents {
 public:
  virtual ~XmlEvents() = default;
  virtual void begin(const XmlElement& element) = 0;
  virtual void end(std::string_view name) = 0;
  virtual void text(std::string_view text) = 0;
};

/// Reads XML that comes in pieces, by libxml2. No entities but those of XML itself: a document type
/// definition is refused, as OOXML wants it. Nests 256 deep at most.
class XmlParser {
 public:
  explicit XmlParser(XmlEvents& events);
  ~XmlParser();
  XmlParser(const XmlParser&) = delete;
  XmlParser& operator=(const XmlParser&) = delete;

  /// Throws BadMarkup, and what an event throws.
  void take(std::string_view piece);
  void finish();

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace pleiad::media
