// Reading JSON of several shapes and sizes, beside the library's own builder (which for some shapes
// is given small ones alone: it takes hours for the others) and simdjson, which builds no values.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <simdjson.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/json_builder.h"

namespace pleiad {
namespace {

constexpr JsonLimits kNone = {.depth = SIZE_MAX,
                              .values = SIZE_MAX,
                              .keys_per_object = SIZE_MAX,
                              .memory_bytes = SIZE_MAX,
                              .key_comparisons = SIZE_MAX};

std::string list(std::size_t bytes, const std::function<std::string(std::size_t)>& element) {
  std::string text = "[" + element(0);
  for (std::size_t i = 1; text.size() < bytes; ++i) text += "," + element(i);
  return text + "]";
}

std::string list_of(std::size_t bytes, const std::string& element) {
  return list(bytes, [&](std::size_t) { return element; });
}

std::string object_of(std::size_t bytes, const std::string& prefix) {
  std::string text = "{\"\":0";
  for (std::size_t i = 0; text.size() < bytes; ++i) text += fmt::format(",\"{}{}\":0", prefix, i);
  return text + "}";
}

std::string nested(std::size_t bytes) {
  return list_of(bytes, std::string(60, '[') + std::string(60, ']'));
}

struct Shape {
  const char* name;
  std::string (*make)(std::size_t bytes);
};

constexpr Shape kShapes[] = {
    {"empty_objects", [](std::size_t bytes) { return list_of(bytes, "{}"); }},
    {"small_objects", [](std::size_t bytes) { return list_of(bytes, R"({"a":1,"b":[]})"); }},
    {"nested_lists", nested},
    {"keys", [](std::size_t bytes) { return object_of(bytes, "k"); }},
    {"keys_of_one_prefix",
     [](std::size_t bytes) { return object_of(bytes, std::string(200, 'k')); }},
    {"objects_of_4096_keys",
     [](std::size_t bytes) { return list_of(bytes, object_of(std::size_t{40} << 10U, "k")); }},
    {"integers", [](std::size_t bytes) { return list_of(bytes, "12345678"); }},
    {"numbers", [](std::size_t bytes) { return list_of(bytes, "-0.12345678e-9"); }},
    {"long_number", [](std::size_t bytes) { return "0." + std::string(bytes, '1'); }},
    {"strings", [](std::size_t bytes) { return list_of(bytes, R"("some words of a text")"); }},
    {"long_string", [](std::size_t bytes) { return '"' + std::string(bytes, 'a') + '"'; }},
    {"escapes",
     [](std::size_t bytes) {
       std::string text = "\"";
       while (text.size() < bytes) text += R"(\n\u00e9)";
       return text + "\"";
     }},
};

void report(benchmark::State& state, const std::string& text) {
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * text.size()));
}

void ours(benchmark::State& state, const Shape& shape) {
  const std::string text = shape.make(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    if (!JsonBuilder<nlohmann::ordered_json>::read(text, kNone)) state.SkipWithError("refused");
  }
  report(state, text);
}

void model_files(benchmark::State& state, const Shape& shape) {
  const std::string text = shape.make(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    if (!JsonBuilder<nlohmann::json>::read(text, kNone)) state.SkipWithError("refused");
  }
  report(state, text);
}

void library(benchmark::State& state, const Shape& shape) {
  const std::string text = shape.make(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    benchmark::DoNotOptimize(nlohmann::ordered_json::parse(
        text,
        [](int, nlohmann::ordered_json::parse_event_t, nlohmann::ordered_json&) { return true; }));
  }
  report(state, text);
}

void simdjson_dom(benchmark::State& state, const Shape& shape) {
  const simdjson::padded_string text(shape.make(static_cast<std::size_t>(state.range(0))));
  simdjson::dom::parser parser;
  for (auto _ : state) {
    simdjson::dom::element element;
    if (parser.parse(text).get(element) != simdjson::SUCCESS) state.SkipWithError("refused");
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * text.size()));
}

const bool registered = [] {
  constexpr std::int64_t kMegabyte = 1'000'000;
  for (const Shape& shape : kShapes) {
    const auto add = [&](const char* reader, void (*run)(benchmark::State&, const Shape&),
                         const std::vector<std::int64_t>& sizes) {
      auto* made = benchmark::RegisterBenchmark(
          fmt::format("{}/{}", shape.name, reader).c_str(),
          [run, shape](benchmark::State& state) { run(state, shape); });
      for (const std::int64_t size : sizes) made->Arg(size);
      made->Unit(benchmark::kMillisecond);
    };
    const std::vector<std::int64_t> sizes = {kMegabyte, 4 * kMegabyte, 14 * kMegabyte};
    add("ours", ours, sizes);
    add("model_files", model_files, sizes);
    add("library_with_callback", library, {kMegabyte / 40, kMegabyte / 10});
    add("simdjson", simdjson_dom, sizes);
  }
  return true;
}();

}  // namespace
}  // namespace pleiad
