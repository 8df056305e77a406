#include "constrain/texts/number.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "base/testing/json.h"
#include "constrain/texts/dfa_test_data.h"

namespace pleiad::constrain {
namespace {

std::optional<Bound> bound(const char* number, bool exclusive = false) {
  return Bound::from(json_from(number), exclusive);
}

TEST(Number, WholeNumbersBetweenBoundsAreExactlyThose) {
  const int ends[] = {-1203, -100, -99, -12, -1, 0, 1, 9, 10, 11, 99, 100, 1203};
  for (const int low : ends) {
    for (const int high : ends) {
      for (const bool exclusive : {false, true}) {
        NumberForm form;
        form.is_integer = true;
        form.minimum = bound(std::to_string(low).c_str(), exclusive);
        form.maximum = bound(std::to_string(high).c_str(), exclusive);
        const Result<Dfa> dfa = number_dfa(form);
        const int edge = exclusive ? 1 : 0;
        ASSERT_TRUE(dfa.ok());
        ASSERT_EQ(is_empty(dfa.value()), low + edge > high - edge) << low << " " << high;
        if (is_empty(dfa.value())) continue;
        for (int value = -1300; value <= 1300; ++value) {
          ASSERT_EQ(accepts(dfa.value(), std::to_string(value)),
                    value >= low + edge && value <= high - edge)
              << value << " in " << low << " " << high;
        }
      }
    }
  }
}

TEST(Number, MultiplesAreExactlyThose) {
  for (const std::uint32_t step : {2U, 7U, 10U, 365U}) {
    NumberForm form;
    form.step = Step{.units = step};
    form.minimum = bound("-800");
    const Result<Dfa> dfa = number_dfa(form);
    ASSERT_TRUE(dfa.ok());
    for (int value = -1000; value <= 2000; ++value) {
      ASSERT_EQ(accepts(dfa.value(), std::to_string(value)),
                value % static_cast<int>(step) == 0 && value >= -800)
          << value;
    }
    EXPECT_TRUE(accepts(dfa.value(), fmt::format("{}.0", step)));
    EXPECT_FALSE(accepts(dfa.value(), fmt::format("{}.5", step)));
    form.is_integer = true;
    EXPECT_FALSE(accepts(number_dfa(form).value(), fmt::format("{}.0", step)));
  }
}

TEST(Number, MultiplesOfDecimalsAreExactlyThose) {
  for (const char* text : {"1", "0.01", "0.3", "2.5", "0.125", "1.1", "100", "0.07", "1e-3"}) {
    const Json number = json_from(text);
    NumberForm form;
    form.step = Step::from(number);
    ASSERT_TRUE(form.step.has_value()) << text;
    const Dfa dfa = number_dfa(form).value();
    const auto step = std::llround(number.get<double>() * 10000);
    for (int value = -30000; value <= 30000; value += 3) {
      const bool is_multiple = value % step == 0;
      const std::string written = fmt::format("{:.4f}", value / 10000.0);
      if (value == 0) continue;
      ASSERT_EQ(accepts(dfa, written), is_multiple) << written << " of " << text;
    }
    EXPECT_FALSE(accepts(dfa, "1e2")) << "exponents are not followed";
  }
  for (const char* text : {"0", "-1", "1e-12", "12345678901"}) {
    EXPECT_FALSE(Step::from(json_from(text)).has_value()) << text;
  }
}

TEST(Number, MultiplesAreThatAsDoublesToo) {
  NumberForm form;
  form.step = Step::from(json_from("1.5"));
  const Dfa dfa = number_dfa(form).value();
  for (const char* text :
       {"10000000000000.5", "-10000000000000.5", "3.0", "3.000000000000000", "699392622807807"}) {
    EXPECT_TRUE(accepts(dfa, text)) << text;
  }
  // Multiples as they are written, and none as the doubles that they are read into.
  EXPECT_FALSE(accepts(dfa, "699392622807808392"));
  EXPECT_FALSE(accepts(dfa, "699392622807808393.5"));
  EXPECT_FALSE(accepts(dfa, "100000000000000.5"));
}

TEST(Number, WholeMultiplesAreThatAsDoublesToo) {
  NumberForm form;
  form.is_integer = true;
  form.step = Step{.units = 1000};
  Dfa dfa = number_dfa(form).value();
  EXPECT_TRUE(accepts(dfa, "107052207320000"));
  EXPECT_FALSE(accepts(dfa, "107052207320039000"));
  form.step = Step{.units = 3};
  dfa = number_dfa(form).value();
  EXPECT_TRUE(accepts(dfa, "-999999999999999"));
  EXPECT_FALSE(accepts(dfa, "9007199254740993"));
  form.minimum = bound("9007199254740990");  // asks for as many
  EXPECT_TRUE(accepts(number_dfa(form).value(), "9007199254740993"));
  form.minimum = bound("999999999999998", true);
  EXPECT_TRUE(accepts(number_dfa(form).value(), "1000000000000002"));
  // Every whole number is.
  form = {.is_integer = true, .step = Step{.units = 125, .digits = 3}};
  EXPECT_TRUE(accepts(number_dfa(form).value(), "123456789012345678"));
}

TEST(Number, MultiplesOfRoundNumbersTakeFewStates) {
  struct Round {
    std::uint32_t units;
    std::size_t most_states;
  };
  for (const auto& [units, most_states] :
       {Round{1000, 100}, Round{5000, 100}, Round{10'000, 100}, Round{100'000, 120},
        Round{1'000'000, 150}, Round{3600, 400}, Round{86'400, 2500}, Round{4096, 7000}}) {
    for (const bool is_integer : {true, false}) {
      for (const char* most : {"", "100000"}) {
        NumberForm form{.is_integer = is_integer, .step = Step{.units = units}};
        if (*most) form.maximum = bound(most);
        if (*most) form.minimum = bound("0");
        const Result<Dfa> dfa = number_dfa(form);
        ASSERT_TRUE(dfa.ok()) << units;
        EXPECT_LT(dfa.value().states.size(), most_states + 200) << units << " " << is_integer;
        for (std::int64_t value = 0; value < 1'000'000'000; value += 1 + value / 97) {
          for (const std::int64_t at : {value, value / units * units}) {
            const bool is_valid = at % units == 0 && (!*most || at <= 100'000);
            ASSERT_EQ(accepts(dfa.value(), std::to_string(at)), is_valid) << at << " " << units;
            if (at == 0) continue;
            ASSERT_EQ(accepts(dfa.value(), std::to_string(-at)), is_valid && !*most) << at;
            ASSERT_EQ(accepts(dfa.value(), std::to_string(at) + ".00"), is_valid && !is_integer);
          }
        }
      }
    }
  }
  EXPECT_FALSE(number_dfa({.step = Step{.units = 9'999'991}}).ok());
}

// Against numbers of hundredths of thousandths.
TEST(Number, RandomStepsAndBoundsAreKept) {
  std::mt19937 random(7);
  constexpr std::int64_t kOne = 100'000;
  const auto written = [](std::int64_t value, int n_digits) {
    const std::int64_t size = std::abs(value);
    const std::string fraction = fmt::format("{:05}", size % kOne);
    return fmt::format("{}{}{}{}", value < 0 ? "-" : "", size / kOne, n_digits > 0 ? "." : "",
                       fraction.substr(0, static_cast<std::size_t>(n_digits)));
  };
  for (int i = 0; i < 150; ++i) {
    NumberForm form{.is_integer = random() % 3 == 0, .any_digits = random() % 4 == 0};
    Step step{.units = 1 + static_cast<std::uint32_t>(random() % 3000),
              .digits = static_cast<int>(random() % 5)};
    if (random() % 2) step.units = step.units / 100 * 100 + 100;
    if (random() % 4) form.step = step;
    std::int64_t unit = step.units;
    for (int k = step.digits; k < 5; ++k) unit *= 10;
    const auto some = [&] {
      const std::int64_t range = random() % 2 ? 200 * kOne : 20'000 * kOne;
      return static_cast<std::int64_t>(random()) % range - range / 2;
    };
    std::int64_t least = some();
    std::int64_t most = some();
    if (least > most) std::swap(least, most);
    const bool has_least = random() % 2 != 0;
    const bool has_most = random() % 2 != 0;
    const bool exclusive = random() % 2 != 0;
    if (has_least) form.minimum = bound(written(least, 5).c_str(), exclusive);
    if (has_most) form.maximum = bound(written(most, 5).c_str(), exclusive);
    const Dfa dfa = number_dfa(form).value();
    for (int k = 0; k < 300; ++k) {
      std::int64_t value = k % 4 == 0 ? least : k % 4 == 1 ? most : some();
      if (k % 3) value = value / unit * unit + unit * static_cast<int>(random() % 3);
      const int n_digits = static_cast<int>(random() % 6);
      const std::int64_t place = std::array<std::int64_t, 6>{
          100'000, 10'000, 1000, 100, 10, 1}[static_cast<std::size_t>(n_digits)];
      value = value / place * place;
      if (value == 0) continue;
      const bool is_valid = (!form.is_integer || n_digits == 0) &&
                            (!form.step || value % unit == 0) &&
                            (!has_least || value > least || (value == least && !exclusive)) &&
                            (!has_most || value < most || (value == most && !exclusive));
      ASSERT_EQ(accepts(dfa, written(value, n_digits)), is_valid)
          << written(value, n_digits) << " of " << (form.step ? unit : 0) << " from "
          << (has_least ? written(least, 5) : "") << " to " << (has_most ? written(most, 5) : "");
    }
  }
}

TEST(Number, OfAnyDigitsThereAreNoLimits) {
  NumberForm form{.step = Step{.units = 15, .digits = 1}, .any_digits = true};
  const Dfa multiples = number_dfa(form).value();
  EXPECT_LT(multiples.states.size(), 60U);
  EXPECT_TRUE(accepts(multiples, "3" + std::string(30, '0')));
  EXPECT_TRUE(accepts(multiples, "-3" + std::string(30, '0') + ".0" + std::string(30, '0')));
  EXPECT_TRUE(accepts(multiples, "10000000000000000000000000000.5"));
  EXPECT_FALSE(accepts(multiples, "1" + std::string(30, '0')));
  EXPECT_FALSE(accepts(multiples, "1.50000000000000000000000001"));
  EXPECT_FALSE(accepts(multiples, "-0.0"));
  form = {.minimum = bound("1e-20", true), .maximum = bound("12"), .any_digits = true};
  const Dfa between = number_dfa(form).value();
  EXPECT_TRUE(accepts(between, "0.00000000000000000001000000000001"));
  EXPECT_TRUE(accepts(between, "12." + std::string(50, '0')));
  EXPECT_FALSE(accepts(between, "0.0000000000000000000100"));
  EXPECT_FALSE(accepts(between, "12." + std::string(50, '0') + "1"));
  EXPECT_FALSE(accepts(between, "100"));
}

TEST(Number, ExactOnesHaveNoMoreDigitsThanADouble) {
  const Dfa exact = exact_numbers();
  for (const char* text : {"0", "-12.50", "123456789012345678", "123456789012.345", "0.0"}) {
    EXPECT_TRUE(accepts(exact, text)) << text;
  }
  for (const char* text : {"1234567890123456.5", "1234567890123.4560", "1e5", "1.", ""}) {
    EXPECT_FALSE(accepts(exact, text)) << text;
  }
}

TEST(Number, WhatIsAMultipleOfTwoIsOneOfTheirLeastCommon) {
  EXPECT_EQ(common_multiple({.units = 4}, {.units = 6}), (Step{.units = 12}));
  EXPECT_EQ(common_multiple({.units = 5, .digits = 1}, {.units = 2}),
            (Step{.units = 20, .digits = 1}));
  EXPECT_FALSE(common_multiple({.units = 9'999'991}, {.units = 9'999'973}).has_value());
}

TEST(Number, DecimalsAreComparedWithEveryDigit) {
  const char* ends[] = {"-10.05", "-1", "-0.25", "0", "0.001", "0.25", "1", "9.99", "1e2"};
  for (const char* low : ends) {
    for (const char* high : ends) {
      NumberForm form;
      form.minimum = bound(low, true);
      form.maximum = bound(high);
      const double least = std::stod(low), most = std::stod(high);
      const Result<Dfa> dfa = number_dfa(form);
      ASSERT_TRUE(dfa.ok());
      ASSERT_EQ(is_empty(dfa.value()), least >= most);
      if (is_empty(dfa.value())) continue;
      for (int thousandths = -11000; thousandths <= 11000; thousandths += 5) {
        if (thousandths == 0) continue;  // below
        const std::string text = fmt::format("{:.3f}", thousandths / 1000.0);
        const double value = std::stod(text);
        ASSERT_EQ(accepts(dfa.value(), text), value > least && value <= most)
            << text << " in " << low << " " << high;
      }
      EXPECT_EQ(accepts(dfa.value(), "0"), least < 0 && most >= 0);
      EXPECT_EQ(accepts(dfa.value(), "0.000"), least < 0 && most >= 0);
      EXPECT_FALSE(accepts(dfa.value(), "-0.000"));
    }
  }
}

TEST(Number, WithoutBoundsItIsWhatJsonSays) {
  const Dfa number = number_dfa({}).value();
  for (const char* text :
       {"0", "-1", "12.50", "1e5", "0.5E-12", "-3.25e+07", "123456789012345678"}) {
    EXPECT_TRUE(accepts(number, text)) << text;
  }
  for (const char* text : {"", "-", "01", ".5", "1.", "1e", "1e+", "+1", "-0", "0x1", "1e100",
                           "1234567890123456789"}) {
    EXPECT_FALSE(accepts(number, text)) << text;
  }
}

TEST(Number, WhatIsBelowALargeBoundHasTheUsualDigits) {
  NumberForm form;
  form.is_integer = true;
  form.maximum = bound("1e300");
  form.minimum = bound("-1e300");
  Dfa dfa = number_dfa(form).value();
  EXPECT_TRUE(accepts(dfa, "-999999999999999999"));
  EXPECT_TRUE(accepts(dfa, "9223372036854775807"));
  EXPECT_FALSE(accepts(dfa, "9223372036854775808"));
  form.is_integer = false;
  dfa = number_dfa(form).value();
  EXPECT_FALSE(accepts(dfa, "1000000000000000000"));
}

TEST(Number, IntegersGoAsFarAs64BitsDo) {
  struct Case {
    const char* minimum;
    const char* maximum;
    std::vector<const char*> valid;
    std::vector<const char*> others;
  };
  for (const Case& one : {
           Case{"",
                "",
                {"0", "1789012345678901234", "9223372036854775807", "-9223372036854775807"},
                {"9223372036854775808", "-9223372036854775808", "10000000000000000000", "-0"}},
           Case{"0",
                "9223372036854775807",
                {"0", "1789012345678901234", "9223372036854775807"},
                {"9223372036854775808", "-1"}},
           Case{"-9223372036854775808",
                "9223372036854775807",
                {"-9223372036854775808", "9223372036854775807", "-1000000000000000001"},
                {"-9223372036854775809", "9223372036854775808"}},
           Case{"0",
                "18446744073709551615",
                {"18446744073709551615", "9223372036854775809", "17446744073709551616"},
                {"18446744073709551616", "100000000000000000000", "-1"}},
           Case{"1000000000000000001",
                "18446744073709551615",
                {"1000000000000000001", "12345678901234567890", "18446744073709551615"},
                {"1000000000000000000", "18446744073709551616"}},
           Case{"-5", "1e25", {"-5", "9223372036854775807"}, {"-6", "9223372036854775808"}},
           Case{"-1e25", "-1", {"-9223372036854775807"}, {"-9223372036854775808", "0"}},
           Case{"",
                "-1000000000000000001",
                {"-1000000000000000001", "-9999999999999999999"},
                {"-1000000000000000000", "-10000000000000000000"}},
       }) {
    NumberForm form{.is_integer = true};
    if (*one.minimum) form.minimum = bound(one.minimum);
    if (*one.maximum) form.maximum = bound(one.maximum);
    const Dfa dfa = number_dfa(form).value();
    EXPECT_LT(dfa.states.size(), 200U);
    const std::string asked = fmt::format("'{}' to '{}'", one.minimum, one.maximum);
    for (const char* text : one.valid) EXPECT_TRUE(accepts(dfa, text)) << text << " " << asked;
    for (const char* text : one.others) EXPECT_FALSE(accepts(dfa, text)) << text << " " << asked;
  }
}

TEST(Number, WhatIsBeyondALargeBoundHasTheDigitsThatItTakes) {
  NumberForm form;
  form.is_integer = true;
  form.minimum = bound("1e30");  // 1000000000000000019884624838656 as the double that it is
  Dfa dfa = number_dfa(form).value();
  EXPECT_TRUE(accepts(dfa, "1000000000000010000000000000000"));
  EXPECT_FALSE(accepts(dfa, "1000000000000000000000000000000"));
  EXPECT_FALSE(accepts(dfa, "1000000000000000020000000000000")) << "more than a double keeps";
  EXPECT_FALSE(accepts(dfa, "999999999999999999"));
  form.minimum = bound("999999999999999999", true);
  dfa = number_dfa(form).value();
  EXPECT_TRUE(accepts(dfa, "1000000000000000000"));
  EXPECT_FALSE(accepts(dfa, "999999999999999999"));
  form.minimum.reset();
  form.maximum = bound("-1e308");
  EXPECT_FALSE(is_empty(number_dfa(form).value()));

  form.minimum = bound("9223372036854775802");
  form.maximum = bound("9223372036854775807");
  dfa = number_dfa(form).value();
  for (int last = 0; last < 10; ++last) {
    EXPECT_EQ(accepts(dfa, fmt::format("922337203685477580{}", last)), last >= 2 && last <= 7);
  }
}

TEST(Number, BetweenSmallBoundsItHasTheDigitsThatItTakes) {
  NumberForm form;
  form.minimum = bound("1e-16");
  form.maximum = bound("9e-16");
  Dfa dfa = number_dfa(form).value();
  EXPECT_TRUE(accepts(dfa, "0.0000000000000005"));
  EXPECT_FALSE(accepts(dfa, "0.0000000000000010"));
  EXPECT_FALSE(accepts(dfa, "0"));
  form.minimum = bound("1e-16", true);
  form.maximum = bound("2e-16", true);
  dfa = number_dfa(form).value();
  EXPECT_TRUE(accepts(dfa, "0.00000000000000015"));
  EXPECT_FALSE(accepts(dfa, "0.0000000000000002"));
  form.minimum.reset();
  form.maximum = bound("-5e-324");
  dfa = number_dfa(form).value();
  EXPECT_TRUE(accepts(dfa, "-0." + std::string(323, '0') + "5"));
  EXPECT_FALSE(accepts(dfa, "-0." + std::string(323, '0') + "4"));
}

}  // namespace
}  // namespace pleiad::constrain
