#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <regex>

#include "chart/bar_chart.h"
#include "chart/xy_chart.h"

#include "chart/svg.h"

namespace pleiad::chart {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::size_t count_of(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

/// Every element that is opened is closed, in order.
void expect_balanced(const std::string& svg) {
  std::vector<std::string> open;
  const std::regex tag("<(/?)([a-z]+)[^<>]*?(/?)>");
  for (auto it = std::sregex_iterator(svg.begin(), svg.end(), tag); it != std::sregex_iterator();
       ++it) {
    if ((*it)[3].length() > 0) continue;
    if ((*it)[1].length() == 0) {
      open.push_back((*it)[2]);
    } else {
      ASSERT_FALSE(open.empty());
      EXPECT_EQ(open.back(), (*it)[2]);
      open.pop_back();
    }
  }
  EXPECT_TRUE(open.empty());
}

std::vector<std::string> labels_of(const AxisMap& axis) {
  std::vector<std::string> labels;
  for (const Tick& tick : axis.ticks()) labels.push_back(tick.label);
  return labels;
}

XyChart two_series() {
  XyChart chart;
  chart.title = "Decode";
  chart.x = {"GB/s", Scale::logarithmic};
  chart.y = {"tokens/s", Scale::logarithmic};
  chart.series = {{.name = "a", .points = {{10, 5, {}, {}, "slow", "a note"}, {100, 50, 40, 60}}},
                  {.name = "b", .points = {{10, 7}, {100, 70}}, .line = true, .marks = false}};
  return chart;
}

BarChart two_models() {
  BarChart chart;
  chart.title = "Two models";
  chart.series = {"first", "second"};
  chart.panels = {{"Generation, tokens/s", {{"short", {Bar{10, 9, 12}, Bar{20}}}}},
                  {"Prefill, tokens/s", {{"short", {Bar{1234}, std::nullopt}}}}};
  return chart;
}

TEST(Escaped, LeavesNothingThatXmlCannotHold) {
  EXPECT_EQ(escaped("a<b>&\"c\""), "a&lt;b&gt;&amp;&quot;c&quot;");
  EXPECT_EQ(escaped(std::string_view("\x01\x00\x7F", 3)), "\\x01\\x00\\u007f");
  EXPECT_EQ(escaped("\xC3("), "\\xc3(");
  EXPECT_EQ(escaped("\xC2\x9B\u202E<\u2029"), "\\u009b\\u202e&lt;\\u2029");
  EXPECT_EQ(escaped("\uFFFE\u00E9\U0001F600"), "\uFFFD\u00E9\U0001F600");
}

TEST(NumberLabel, HasNoExponentAndNoNeedlessZeros) {
  EXPECT_EQ(number_label(1234567), "1,234,567");
  EXPECT_EQ(number_label(128), "128");
  EXPECT_EQ(number_label(12.34), "12.3");
  EXPECT_EQ(number_label(0.05), "0.05");
  EXPECT_EQ(number_label(100), "100");
  EXPECT_EQ(number_label(-2.5), "-2.5");
  EXPECT_EQ(number_label(0), "0");
}

TEST(AxisMap, LinearTicksAreRoundAndHoldAllValues) {
  const std::vector<double> values = {3, 47};
  const AxisMap axis(values, Scale::linear, 100, 200, true);
  EXPECT_THAT(labels_of(axis), ElementsAre("0", "10", "20", "30", "40", "50"));
  EXPECT_EQ(axis.pixel(0), 100);
  EXPECT_EQ(axis.pixel(25), 150);
}

TEST(AxisMap, LogarithmicTicksAreOneTwoFive) {
  const std::vector<double> values = {3, 90, -1, 0, std::numeric_limits<double>::quiet_NaN()};
  const AxisMap axis(values, Scale::logarithmic, 0, 1, false);
  EXPECT_THAT(labels_of(axis), ElementsAre("5", "10", "20", "50", "100"));
  EXPECT_NEAR(axis.pixel(std::sqrt(270.0)), 0.5, 1e-9);
}

TEST(AxisMap, OneValueAndNoneHaveARangeToo) {
  for (const Scale scale : {Scale::linear, Scale::logarithmic}) {
    for (const std::vector<double>& values : {std::vector<double>{7}, std::vector<double>{}}) {
      const AxisMap axis(values, scale, 0, 1, false);
      EXPECT_LT(axis.first(), axis.last());
      EXPECT_GE(axis.ticks().size(), 2U);
    }
  }
}

TEST(XyChart, DrawsMarksLinesBarsAndALegend) {
  const std::string svg = to_svg(two_series());
  expect_balanced(svg);
  EXPECT_THAT(svg, HasSubstr(">slow</text>"));
  EXPECT_THAT(svg, HasSubstr("<title>slow: 10, 5; a note</title>"));
  EXPECT_EQ(count_of(svg, "stroke-width=\"1.5\""), 2U + 1);  // marks, and that of the legend
  EXPECT_EQ(count_of(svg, "stroke-width=\"2\""), 2U + 1);    // error bar, line; legend
  EXPECT_EQ(to_svg(two_series()), svg);
}

TEST(XyChart, StandsAloneInLightAndDark) {
  const std::string svg = to_svg(two_series());
  EXPECT_THAT(svg, HasSubstr("prefers-color-scheme:dark"));
  EXPECT_EQ(count_of(svg, "http"), 1U);  // the name space
  for (const char* link : {"href", "url(", "<script", "@import", "id="}) {
    EXPECT_THAT(svg, Not(HasSubstr(link)));
  }
}

TEST(XyChart, LeavesOutWhatAnAxisCannotShow) {
  XyChart chart = two_series();
  const std::string before = to_svg(chart);
  chart.series[0].points.push_back({0, 5});
  chart.series[0].points.push_back({10, std::numeric_limits<double>::infinity()});
  EXPECT_EQ(to_svg(chart), before);
}

TEST(XyChart, ASeriesWithoutANameIsNotInTheLegend) {
  XyChart chart = two_series();
  const std::size_t before = count_of(to_svg(chart), "stroke-width=\"1.5\"");
  chart.series[0].name.clear();
  EXPECT_EQ(count_of(to_svg(chart), "stroke-width=\"1.5\""), before - 1);
}

TEST(XyChart, LabelsThatWouldLieOnEachOtherMoveOrGo) {
  XyChart chart = two_series();
  chart.series[0].points.assign(20, {30, 20, {}, {}, "the same place"});
  const std::string svg = to_svg(chart);
  EXPECT_LT(count_of(svg, ">the same place</text>"), 9U);
  EXPECT_GT(count_of(svg, ">the same place</text>"), 1U);
  EXPECT_EQ(count_of(svg, "<title>the same place: 30, 20"), 20U);
}

TEST(BarChart, DrawsABarForEachMeasurement) {
  const std::string svg = to_svg(two_models());
  expect_balanced(svg);
  EXPECT_EQ(count_of(svg, "fill=\"currentColor\""), 3U + 2);  // and the legend
  EXPECT_EQ(count_of(svg, "class=\"whisker\""), 3U);
  EXPECT_THAT(svg, HasSubstr("<title>first, short: Generation, tokens/s 10 (9 to 12)</title>"));
  EXPECT_THAT(svg, HasSubstr(">1,234</text>"));
}

TEST(BarChart, LeavesOutWhatIsNoNumber) {
  BarChart chart = two_models();
  chart.panels[0].groups[0].bars[1] = Bar{std::numeric_limits<double>::quiet_NaN()};
  const std::string svg = to_svg(chart);
  EXPECT_EQ(count_of(svg, "fill=\"currentColor\""), 2U + 2);
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
}

TEST(BarChart, NamesAreEscapedEverywhere) {
  BarChart chart = two_models();
  chart.title = chart.subtitle = chart.note = "<script>&";
  chart.series = {"<script>&", "<script>&"};
  chart.panels[0].title = chart.panels[0].groups[0].name = "<script>&";
  const std::string svg = to_svg(chart);
  expect_balanced(svg);
  EXPECT_THAT(svg, Not(HasSubstr("<script")));
  EXPECT_GT(count_of(svg, "&lt;script&gt;&amp;"), 8U);
}

}  // namespace
}  // namespace pleiad::chart
