#include "fit/plot.h"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "fit/published.h"

namespace pleiad::fit {
namespace {

std::string short_name(const gemma4::FamilyMember& member) {
  constexpr std::string_view prefix = "Gemma 4 ";
  return std::string(member.name.substr(prefix.size()));
}

chart::Series predicted_line(const gemma4::FamilyMember& member, const Question& question,
                             const Machine& machine, int colour) {
  constexpr double kFirst = 10e9;
  constexpr double kLast = 8000e9;
  constexpr int kPoints = 60;
  const ModelWork work(member, question.types.front());
  chart::Series line{.name = short_name(member), .line = true, .marks = false, .colour = colour};
  Machine other = machine;
  for (int i = 0; i < kPoints; ++i) {
    const double place = static_cast<double>(i) / (kPoints - 1);
    other.read_bytes_per_second = kFirst * std::pow(kLast / kFirst, place);
    const Rate rate = predict_decode(work, other, 0, question.kv_type);
    line.points.push_back({other.read_bytes_per_second / 1e9, rate.value, {}, {}, "", ""});
  }
  return line;
}

chart::Series own_point(const gemma4::FamilyMember& member, const Question& question,
                        const Machine& machine, int colour) {
  const ModelWork work(member, question.types.front());
  const Rate rate = predict_decode(work, machine, 0, question.kv_type);
  chart::Series series{.colour = colour};
  series.points.push_back({machine.read_bytes_per_second / 1e9, rate.value, rate.low, rate.high, "",
                           short_name(member) + ", " + machine.name});
  return series;
}

chart::Series published_points(const gemma4::FamilyMember& member, int colour) {
  chart::Series series{.filled = false, .colour = colour};
  std::set<std::string> labelled;
  for (const PublishedRate& rate : published_rates()) {
    if (rate.member != member.key || !rate.decode || !rate.bandwidth_gb_s) continue;
    const std::string what = fmt::format("{}, {}", rate.hardware, rate.stored);
    const bool first = labelled.insert(what).second;
    series.points.push_back(
        {*rate.bandwidth_gb_s,
         *rate.decode,
         {},
         {},
         first ? what : "",
         fmt::format("{}, {}, {}, {}", short_name(member), what, rate.engine, rate.source)});
  }
  return series;
}

}  // namespace

chart::XyChart decode_chart(const Question& question, const Machine& machine) {
  chart::XyChart chart;
  chart.title = "Decode rate over read bandwidth";
  chart.subtitle = fmt::format(
      "One sequence, context empty. Lines and filled marks: predicted for {}; open marks: as "
      "labelled",
      convert::name(question.types.front()));
  chart.x = {"read bandwidth, GB/s", chart::Scale::logarithmic};
  chart.y = {"tokens/s", chart::Scale::logarithmic};
  // Colours and forms tell the members apart, the legend names a kind of mark once.
  const auto add = [&](const std::string& name, const auto& make) {
    bool named = name.empty();
    for (std::size_t i = 0; i < question.members.size(); ++i) {
      chart::Series series = make(*question.members[i], static_cast<int>(i));
      if (series.points.empty()) continue;
      if (!named) series.name = name;
      named = true;
      chart.series.push_back(std::move(series));
    }
  };
  add("", [&](const auto& member, int colour) {
    return predicted_line(member, question, machine, colour);
  });
  add("predicted for " + machine.name,
      [&](const auto& member, int colour) { return own_point(member, question, machine, colour); });
  add("published by others",
      [&](const auto& member, int colour) { return published_points(member, colour); });
  return chart;
}

}  // namespace pleiad::fit
