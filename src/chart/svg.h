#pragma once

#include <string>
#include <string_view>

namespace pleiad::chart {

/// `text` for XML: markup is escaped, controls, bidirectional overrides and invalid UTF-8 are
/// shown as terminal_text() does, and U+FFFE and U+FFFF, which XML 1.0 cannot hold, become U+FFFD.
std::string escaped(std::string_view text);

/// About how wide `text` is, in pixels of the charts' font of `size` pixels.
double text_width(std::string_view text, double size);

enum class Anchor { start, middle, end };

/// Writes one SVG picture that stands alone: style sheet inside, for light and
/// dark, no links, no scripts, no ids. Lengths are pixels; the same calls give
/// the same bytes. Colours are the classes of the style sheet: "s0" to "s7" for
/// series, "text", "soft", "grid", "axis".
class SvgWriter {
 public:
  /// `title` and `description` are read to who cannot see it.
  SvgWriter(double width, double height, std::string_view title, std::string_view description);

  void line(double x1, double y1, double x2, double y2, std::string_view style_class);
  /// Filled with the series' colour; `tooltip` is shown under the mouse.
  void bar(double x, double y, double width, double height, int series, std::string_view tooltip);
  /// `data` as of the attribute d; not filled.
  void stroke(std::string_view data, int series, bool dashed);
  /// A mark whose form tells series apart without colour.
  void mark(double x, double y, int series, int form, bool filled, std::string_view tooltip);
  void text(double x, double y, std::string_view content, std::string_view style_class,
            Anchor anchor = Anchor::start);
  /// Read from below, along a vertical axis.
  void vertical_text(double x, double y, std::string_view content, std::string_view style_class);

  /// The whole picture; nothing may be written after it.
  std::string finish();

 private:
  std::string out_;
};

/// Series colours that the style sheet has.
inline constexpr int kColours = 8;

}  // namespace pleiad::chart
