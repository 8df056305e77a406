#include "apps/quantize/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/text_format.h"

namespace pleiad::apps {
namespace {

using convert::ClassReport;
using convert::ErrorSums;
using convert::TensorClass;

bool was_rounded(const ErrorSums& error) { return error.n_values > 0; }

bool is_search(const WrittenModel& written) {
  return written.options.rounding == quantize::Rounding::search;
}

std::string percent(double share) { return fmt::format("{:.2f} %", 100 * share); }

/// One line for each type of a class; the errors are of all of them.
std::string class_lines(const WrittenModel& written, TensorClass tensor_class) {
  const ClassReport& report = written.report.of(tensor_class);
  std::string lines;
  bool first = true;
  for (const auto& [type, share] : report.types) {
    std::string error;
    if (first && was_rounded(report.error) && report.error.errors > 0) {
      error = percent(ErrorSums::relative(report.error.errors, report.error.values));
      if (is_search(written)) {
        error += fmt::format(
            "  {:>8}", percent(ErrorSums::relative(report.error.nearest, report.error.values)));
      }
    }
    const std::string line = fmt::format(
        "{:<10} {:<12} {:>8} {:>15} {:>9}  {:>8}",
        first ? convert::name(tensor_class) : std::string_view(), name(type), share.n_tensors,
        format_count(share.n_elements), format_bytes(share.bytes), error);
    lines += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    first = false;
  }
  return lines;
}

/// "20.0 % less than": how much smaller or larger the error is than `other`.
std::string compared(double error, double other) {
  if (other <= 0 || error == other) return "the same as";
  const double percents = 100 * (1 - error / other);
  return fmt::format("{:.1f} % {} than", std::fabs(percents), percents < 0 ? "more" : "less");
}

std::string gain_lines(const WrittenModel& written) {
  const ErrorSums error = written.report.total_error();
  if (!is_search(written) || error.errors == 0) return {};
  const double searched = ErrorSums::relative(error.errors, error.values);
  const double nearest = ErrorSums::relative(error.nearest, error.values);
  std::string lines =
      fmt::format("Rounding by search: error {} of the weights' size, {} by nearest ({})\n",
                  percent(searched), compared(searched, nearest), percent(nearest));
  if (!written.calibrated) return lines;
  const double weighted = ErrorSums::relative(error.weighted_errors, error.weighted_values);
  const double even = ErrorSums::relative(error.weighted_even, error.weighted_values);
  return lines + fmt::format(
                     "By importance: weighted error {}, {} where all columns count "
                     "alike ({})\n",
                     percent(weighted), compared(weighted, even), percent(even));
}

/// "bf16 340.1 MB, f32 64.2 MB": the largest share first.
std::string tower_types(const convert::TowerReport& tower) {
  std::vector<std::pair<std::uint64_t, DType>> shares;
  for (const auto& [type, share] : tower.types) shares.emplace_back(share.bytes, type);
  std::ranges::sort(shares, std::ranges::greater());
  std::string text;
  for (const auto& [bytes, type] : shares) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name(type), format_bytes(bytes));
  }
  return text;
}

/// "Vision tower"
std::string tower_name(gemma4::EncoderKind kind, bool is_embedder) {
  const bool sees = kind == gemma4::EncoderKind::vision;
  if (is_embedder) return sees ? "Embedder of pictures" : "Embedder of sounds";
  return sees ? "Vision tower" : "Audio tower";
}

std::string tower_lines(const WrittenModel& written, gemma4::EncoderKind kind) {
  if (!written.report.towers.of(kind)) return {};
  const convert::TowerReport& tower = *written.report.towers.of(kind);
  std::size_t n_tensors = 0;
  for (const auto& [type, share] : tower.types) n_tensors += share.n_tensors;
  const std::string place = written.report.projector
                                ? printable(written.report.projector->file.string(), 300)
                                : "in the same folder";
  std::string lines =
      fmt::format("{}: {} tensors, {} ({}), {}\n", tower_name(kind, tower.is_embedder), n_tensors,
                  format_bytes(tower.bytes), tower_types(tower), place);
  if (was_rounded(tower.error) && tower.error.errors > 0) {
    lines += fmt::format("Its rounding: error {} of the weights' size\n",
                         percent(ErrorSums::relative(tower.error.errors, tower.error.values)));
  }
  return lines;
}

std::string tower_lines(const WrittenModel& written) {
  return tower_lines(written, gemma4::EncoderKind::vision) +
         tower_lines(written, gemma4::EncoderKind::audio);
}

std::string left_out(const WrittenModel& written) {
  const UnusedTensors& unused = written.report.left_out;
  std::string lines;
  if (unused.vision > 0) {
    lines += fmt::format(
        "The vision tower ({} tensors) was left out: the new model sees nothing.\n", unused.vision);
  }
  if (unused.audio > 0) {
    lines += fmt::format("The audio part ({} tensors) was left out: the new model hears nothing.\n",
                         unused.audio);
  }
  if (unused.dead_kv > 0) {
    lines += fmt::format(
        "{} key and value tensors that no layer reads were left out; nothing depends on them.\n",
        unused.dead_kv);
  }
  if (!unused.unknown.empty()) {
    lines +=
        fmt::format("{} tensors that Gemma 4 does not have were left out; the first is '{}'.\n",
                    unused.unknown.size(), printable(unused.unknown.front()));
  }
  return lines;
}

std::string fallbacks(const WrittenModel& written) {
  struct Kind {
    DType wanted;
    DType type;
    std::int64_t cols;
    auto operator<=>(const Kind&) const = default;
  };
  std::map<Kind, std::size_t> counts;
  const auto add = [&](const std::vector<convert::Fallback>& list) {
    for (const convert::Fallback& fallback : list) {
      ++counts[{fallback.wanted, fallback.type, fallback.cols}];
    }
  };
  add(written.report.fallbacks);
  for (const gemma4::EncoderKind kind : gemma4::kEncoderKinds) {
    if (const auto& tower = written.report.towers.of(kind)) add(tower->fallbacks);
  }
  std::string lines;
  for (const auto& [kind, count] : counts) {
    lines +=
        fmt::format("{} tensors of {} columns, no multiple of {}'s {}, are stored as {}.\n", count,
                    kind.cols, name(kind.wanted), traits(kind.wanted).block_size, name(kind.type));
  }
  return lines;
}

Json error_json(const WrittenModel& written, const ErrorSums& error) {
  if (!was_rounded(error)) return nullptr;
  Json json = {{"relative", ErrorSums::relative(error.errors, error.values)}};
  if (is_search(written)) {
    json["relative_nearest"] = ErrorSums::relative(error.nearest, error.values);
  }
  if (written.calibrated) {
    json["weighted"] = ErrorSums::relative(error.weighted_errors, error.weighted_values);
    json["weighted_without_importance"] =
        ErrorSums::relative(error.weighted_even, error.weighted_values);
  }
  return json;
}

Json fallbacks_json(const std::vector<convert::Fallback>& fallbacks) {
  Json list = Json::array();
  for (const convert::Fallback& fallback : fallbacks) {
    list.push_back({{"tensor", fallback.tensor},
                    {"columns", fallback.cols},
                    {"wanted", name(fallback.wanted)},
                    {"type", name(fallback.type)}});
  }
  return list;
}

Json types_json(const std::map<DType, convert::TypeShare>& types) {
  Json list = Json::array();
  for (const auto& [type, share] : types) {
    list.push_back({{"type", name(type)},
                    {"tensors", share.n_tensors},
                    {"weights", share.n_elements},
                    {"bytes", share.bytes}});
  }
  return list;
}

/// Null where it was not written; its file is null where that is the same folder.
Json tower_json(const WrittenModel& written, gemma4::EncoderKind kind) {
  if (!written.report.towers.of(kind)) return nullptr;
  const convert::TowerReport& tower = *written.report.towers.of(kind);
  const auto& projector = written.report.projector;
  return {{"file", projector ? Json(projector->file.string()) : Json()},
          {"bytes", tower.bytes},
          {"types", types_json(tower.types)},
          {"fallbacks", fallbacks_json(tower.fallbacks)},
          {"error", error_json(written, tower.error)}};
}

/// Null where there is none.
Json projector_json(const WrittenModel& written) {
  if (!written.report.projector) return nullptr;
  return {{"file", written.report.projector->file.string()},
          {"bytes", written.report.projector->bytes}};
}

Json class_json(const WrittenModel& written, TensorClass tensor_class) {
  const ClassReport& report = written.report.of(tensor_class);
  return {{"class", convert::name(tensor_class)},
          {"types", types_json(report.types)},
          {"error", error_json(written, report.error)}};
}

std::string_view rounding_name(const WrittenModel& written) {
  return is_search(written) ? "search" : "nearest";
}

}  // namespace

std::string format_notes(const WrittenModel& written) {
  std::string lines = fallbacks(written) + left_out(written);
  if (!written.report.has_tokenizer) {
    lines += "There is no tokenizer, as in the model that was read.\n";
  }
  return lines;
}

std::string format_text(const WrittenModel& written) {
  const convert::WriteReport& report = written.report;
  std::string text = fmt::format(
      "{}: {}, {}, {} ({} before), {:.2f} bits per weight\n"
      "{} in {}, {}/s of what was read\n\n",
      written.target.string(), written.model_name, name(written.options.mix.type),
      format_bytes(report.bytes), format_bytes(report.source_bytes), report.bits_per_weight(),
      format_bytes(report.source_bytes), format_seconds(written.seconds),
      format_bytes(static_cast<std::uint64_t>(static_cast<double>(report.source_bytes) /
                                              std::max(written.seconds, 1e-6))));
  text += fmt::format("{:<10} {:<12} {:>8} {:>15} {:>9}  {:>8}{}\n", "class", "type", "tensors",
                      "weights", "size", "error", is_search(written) ? "   nearest" : "");
  for (int i = 0; i < convert::kTensorClassCount; ++i) {
    text += class_lines(written, static_cast<TensorClass>(i));
  }
  text += "\n" + gain_lines(written) + tower_lines(written) + format_notes(written);
  return text;
}

std::string format_json(const WrittenModel& written) {
  const convert::WriteReport& report = written.report;
  Json classes = Json::array();
  for (int i = 0; i < convert::kTensorClassCount; ++i) {
    if (report.classes[static_cast<std::size_t>(i)].types.empty()) continue;
    classes.push_back(class_json(written, static_cast<TensorClass>(i)));
  }
  const Json json = {
      {"model", written.model_name},
      {"source", written.source.string()},
      {"target", written.target.string()},
      {"type", name(written.options.mix.type)},
      {"rounding", rounding_name(written)},
      {"calibrated", written.calibrated},
      {"source_bytes", report.source_bytes},
      {"bytes", report.bytes},
      {"weights", report.n_elements},
      {"bits_per_weight", report.bits_per_weight()},
      {"seconds", written.seconds},
      {"error", error_json(written, report.total_error())},
      {"classes", std::move(classes)},
      {"fallbacks", fallbacks_json(report.fallbacks)},
      {"projector", projector_json(written)},
      {"vision", tower_json(written, gemma4::EncoderKind::vision)},
      {"audio", tower_json(written, gemma4::EncoderKind::audio)},
      {"left_out",
       {{"vision", report.left_out.vision},
        {"audio", report.left_out.audio},
        {"dead_kv", report.left_out.dead_kv},
        {"unknown", report.left_out.unknown.size()}}},
      {"has_tokenizer", report.has_tokenizer},
  };
  return to_text(json, 2) + "\n";
}

}  // namespace pleiad::apps
