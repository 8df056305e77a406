#include <algorithm>
#include <cmath>

#include "apps/eval/report.h"
#include "base/json.h"

namespace pleiad::apps {
namespace {

/// JSON knows no infinity: nothing bounds it, null.
Json bounds(eval::Interval interval) { return Json::array({interval.low, interval.high}); }

Json mean(const eval::GroupedMean& values, double factor = 1) {
  const eval::Interval interval = values.interval();
  return {{"mean", factor * values.mean()},
          {"interval", bounds({factor * interval.low, factor * interval.high})}};
}

Json comparison(const eval::TextComparison& comparison) {
  const eval::DivergenceSummary& tokens = comparison.tokens;
  const eval::Interval squares = tokens.squared_difference().interval();
  const eval::Interval ratio = comparison.loss_difference.interval();
  Json divergence = mean(tokens.divergence());
  divergence["may_be_more_by"] = tokens.bound();
  divergence["median"] = tokens.quantile(0.5);
  divergence["p90"] = tokens.quantile(0.9);
  divergence["p99"] = tokens.quantile(0.99);
  divergence["p99_9"] = tokens.quantile(0.999);
  divergence["max"] = tokens.quantile(1);
  return {
      {"reference", comparison.reference},
      {"kl_divergence_nats", std::move(divergence)},
      {"same_top_token", mean(tokens.same_top())},
      {"probability_difference", mean(tokens.difference())},
      {"probability_difference_rms",
       {{"value", std::sqrt(tokens.squared_difference().mean())},
        {"interval", bounds({std::sqrt(std::max(0.0, squares.low)), std::sqrt(squares.high)})}}},
      {"perplexity_ratio",
       {{"value", std::exp(comparison.loss_difference.mean())},
        {"interval", bounds({std::exp(ratio.low), std::exp(ratio.high)})}}}};
}

Json text_json(const EvalReport::Text& text) {
  const eval::TextReport& result = text.result;
  const bool slides = text.windows.method == eval::WindowMethod::sliding;
  Json json = {{"source", text.source},
               {"tokens", result.n_text_tokens},
               {"method", slides ? "sliding" : "chunks"},
               {"context", text.windows.context},
               {"kv_type", text.kv_type},
               {"windows", result.n_windows},
               {"windows_asked", result.n_windows_asked},
               {"scored_tokens", result.models.front().loss.count()},
               {"models", Json::array()}};
  if (slides) json["stride"] = text.windows.stride;
  for (const eval::Perplexity& model : result.models) {
    if (result.n_windows == 0) break;
    json["models"].push_back({{"model", model.model},
                              {"perplexity", model.value()},
                              {"interval", bounds(model.interval())},
                              {"standard_error_of_independent_tokens", model.standard_error()},
                              {"loss_nats", model.loss.mean()}});
  }
  if (result.comparison && result.n_windows > 0) {
    json["comparison"] = comparison(*result.comparison);
  }
  return json;
}

Json case_results(const eval::CheckResult& check) {
  Json cases = Json::array();
  for (const eval::CaseResult& item : check.cases) {
    Json json = {{"id", item.id},
                 {"sample", item.sample},
                 {"right", item.right},
                 {"generated_tokens", item.generated_tokens},
                 {"replies", item.said}};
    if (!item.right) json["why"] = item.why;
    cases.push_back(std::move(json));
  }
  return cases;
}

Json difference(const eval::PairedCounts& pairs) {
  return {{"pairs", pairs.n},
          {"only_first", pairs.only_a},
          {"only_second", pairs.only_b},
          {"value", pairs.difference()},
          {"interval", bounds(eval::paired_interval(pairs))}};
}

Json shares(std::int64_t right, std::int64_t n) {
  return {{"right", right}, {"n", n}, {"interval", bounds(eval::wilson_interval(right, n))}};
}

Json battery_json(const EvalReport::Battery& battery) {
  const auto& results = battery.results;
  Json checks = Json::array();
  for (std::size_t i = 0; i < results.front().checks.size(); ++i) {
    const eval::CheckResult& first = results.front().checks[i];
    Json check = {{"name", first.name}, {"what", first.what}};
    if (first.guessed) {
      check["by_guessing"] = {{"right", *first.guessed}, {"n", first.n_questions}};
    }
    const auto is_skipped = [&](const eval::BatteryReport& result) {
      return i < result.checks.size() && !result.checks[i].skipped.empty();
    };
    if (std::ranges::all_of(results, is_skipped)) {
      check["skipped"] = first.skipped;
      checks.push_back(std::move(check));
      continue;
    }
    check["results"] = Json::array();
    for (const eval::BatteryReport& result : results) {
      if (i >= result.checks.size()) continue;
      Json json = shares(result.checks[i].right(), result.checks[i].n());
      json["model"] = result.model;
      if (is_skipped(result)) {
        json = {{"model", result.model}, {"skipped", result.checks[i].skipped}};
      } else {
        json["cases"] = case_results(result.checks[i]);
      }
      check["results"].push_back(std::move(json));
    }
    if (results.size() == 2 && i < results[1].checks.size() &&
        std::ranges::none_of(results, is_skipped)) {
      check["difference"] = difference(eval::pair_checks(first, results[1].checks[i]));
    }
    checks.push_back(std::move(check));
  }
  Json all = Json::array();
  for (const eval::BatteryReport& result : results) {
    Json json = shares(result.right(), result.n());
    json["model"] = result.model;
    json["complete"] = result.complete;
    all.push_back(std::move(json));
  }
  Json json = {{"answers_per_question", battery.n_samples},
               {"greedy", battery.greedy},
               {"think", battery.think},
               {"all", std::move(all)}};
  if (results.size() == 2)
    json["difference"] = difference(eval::pair_reports(results[0], results[1]));
  json["checks"] = std::move(checks);
  return json;
}

}  // namespace

std::string eval_report_as_json(const EvalReport& report) {
  Json models = Json::array();
  for (const EvalModel& model : report.models) {
    models.push_back({{"model", model.name}, {"kind", model.kind}, {"path", model.path}});
  }
  Json json = {{"program", report.program},
               {"interrupted", report.interrupted},
               {"models", std::move(models)}};
  if (report.text) json["text"] = text_json(*report.text);
  if (report.battery) json["battery"] = battery_json(*report.battery);
  // A model may write bytes that are not UTF-8.
  return to_text(json, 2) + "\n";
}

}  // namespace pleiad::apps
