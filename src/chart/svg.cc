#include "chart/svg.h"

#include <fmt/format.h>

#include <array>
#include <iterator>

#include "base/terminal_text.h"
#include "base/utf8.h"

namespace pleiad::chart {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

// Eight colours told apart by most eyes, darker on light ground and lighter on dark.
constexpr std::string_view kStyle =
    "<style>"
    "text{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;"
    "font-size:12px}"
    ".title{font-size:16px;font-weight:600}.small{font-size:11px}"
    ".small{paint-order:stroke;stroke-width:3px;stroke-linejoin:round}"
    ".back{fill:#ffffff}.small{stroke:#ffffff}.text,.title{fill:#1c1c1a}.soft,.small{fill:#5d5c57}"
    ".grid{stroke:#e6e5e1}.axis{stroke:#8b8a84}.whisker{stroke:#1c1c1a}"
    ".s0{color:#2a6fbb}.s1{color:#c8580a}.s2{color:#1f8a5b}.s3{color:#7a4fb0}"
    ".s4{color:#b8324f}.s5{color:#16808c}.s6{color:#8a6d00}.s7{color:#66645f}"
    "@media(prefers-color-scheme:dark){"
    ".back{fill:#17181a}.small{stroke:#17181a}.text,.title{fill:#eceae5}.soft,.small{fill:#a9a7a0}"
    ".grid{stroke:#2f3134}.axis{stroke:#77777a}.whisker{stroke:#eceae5}"
    ".s0{color:#6aa9f0}.s1{color:#f0924a}.s2{color:#4fc08d}.s3{color:#b494e6}"
    ".s4{color:#ef7d95}.s5{color:#4fbfcb}.s6{color:#d9b83b}.s7{color:#a6a49d}}"
    "</style>\n";

/// Of what terminal_text() leaves, XML 1.0 (section 2.2) allows all but these.
bool allowed(std::string_view character) {
  return character != "\xEF\xBF\xBE" && character != "\xEF\xBF\xBF";
}

std::string_view entity(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    default:
      return {};
  }
}

/// A length: a tenth of a pixel is enough, and 0 has no sign.
std::string px(double value) {
  std::string text = fmt::format("{:.1f}", value);
  if (text == "-0.0") return "0";
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

int colour(int series) { return series % kColours; }

/// The outline of a mark around (x, y).
std::string mark_outline(double x, double y, int form) {
  constexpr double kSize = 4.2;
  const std::string left = px(x - kSize);
  const std::string right = px(x + kSize);
  const std::string top = px(y - kSize);
  const std::string bottom = px(y + kSize);
  const std::array<std::string, 4> outlines = {
      fmt::format("M{},{}a{r},{r} 0 1 0 {d},0a{r},{r} 0 1 0 -{d},0Z", left, px(y),
                  fmt::arg("r", px(kSize)), fmt::arg("d", px(2 * kSize))),
      fmt::format("M{},{}H{}V{}H{}Z", left, top, right, bottom, left),
      fmt::format("M{},{}L{},{}L{},{}L{},{}Z", px(x), px(y - 1.3 * kSize), px(x + 1.3 * kSize),
                  px(y), px(x), px(y + 1.3 * kSize), px(x - 1.3 * kSize), px(y)),
      fmt::format("M{},{}L{},{}L{},{}Z", px(x), px(y - 1.2 * kSize), px(x + 1.2 * kSize), bottom,
                  px(x - 1.2 * kSize), bottom)};
  return outlines[static_cast<std::size_t>(form) % outlines.size()];
}

std::string_view anchor_name(Anchor anchor) {
  return anchor == Anchor::start ? "start" : anchor == Anchor::middle ? "middle" : "end";
}

}  // namespace

std::string escaped(std::string_view text) {
  const std::string shown = terminal_text(text);  // what is left is UTF-8
  std::string out;
  for (std::string_view rest = shown; !rest.empty();) {
    const std::string_view character = rest.substr(0, utf8_length(rest));
    const std::string_view replaced = entity(character[0]);
    out += !allowed(character) ? kReplacement : replaced.empty() ? character : replaced;
    rest.remove_prefix(character.size());
  }
  return out;
}

double text_width(std::string_view text, double size) {
  std::size_t n_characters = 0;
  for (const char c : text) n_characters += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  return 0.56 * size * static_cast<double>(n_characters);
}

SvgWriter::SvgWriter(double width, double height, std::string_view title,
                     std::string_view description) {
  out_ = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
      "viewBox=\"0 0 {0} {1}\" role=\"img\">\n<title>{2}</title>\n<desc>{3}</desc>\n{4}"
      "<rect class=\"back\" width=\"{0}\" height=\"{1}\"/>\n",
      px(width), px(height), escaped(title), escaped(description), kStyle);
}

void SvgWriter::line(double x1, double y1, double x2, double y2, std::string_view style_class) {
  fmt::format_to(std::back_inserter(out_),
                 "<line class=\"{}\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>\n", style_class,
                 px(x1), px(y1), px(x2), px(y2));
}

void SvgWriter::bar(double x, double y, double width, double height, int series,
                    std::string_view tooltip) {
  fmt::format_to(std::back_inserter(out_),
                 "<rect class=\"s{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" "
                 "fill=\"currentColor\"><title>{}</title></rect>\n",
                 colour(series), px(x), px(y), px(width), px(height), escaped(tooltip));
}

void SvgWriter::stroke(std::string_view data, int series, bool dashed) {
  fmt::format_to(std::back_inserter(out_),
                 "<path class=\"s{}\" d=\"{}\" fill=\"none\" stroke=\"currentColor\" "
                 "stroke-width=\"2\"{}/>\n",
                 colour(series), data, dashed ? " stroke-dasharray=\"5 4\"" : "");
}

void SvgWriter::mark(double x, double y, int series, int form, bool filled,
                     std::string_view tooltip) {
  fmt::format_to(std::back_inserter(out_),
                 "<path class=\"s{}\" d=\"{}\" fill=\"{}\" stroke=\"currentColor\" "
                 "stroke-width=\"1.5\"><title>{}</title></path>\n",
                 colour(series), mark_outline(x, y, form), filled ? "currentColor" : "none",
                 escaped(tooltip));
}

void SvgWriter::text(double x, double y, std::string_view content, std::string_view style_class,
                     Anchor anchor) {
  fmt::format_to(std::back_inserter(out_),
                 "<text class=\"{}\" x=\"{}\" y=\"{}\" text-anchor=\"{}\">{}</text>\n", style_class,
                 px(x), px(y), anchor_name(anchor), escaped(content));
}

void SvgWriter::vertical_text(double x, double y, std::string_view content,
                              std::string_view style_class) {
  fmt::format_to(std::back_inserter(out_),
                 "<text class=\"{}\" transform=\"translate({},{})rotate(-90)\" "
                 "text-anchor=\"middle\">{}</text>\n",
                 style_class, px(x), px(y), escaped(content));
}

std::string SvgWriter::finish() { return out_ + "</svg>\n"; }

}  // namespace pleiad::chart
