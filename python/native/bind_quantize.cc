#include <nanobind/nanobind.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <functional>
#include <string>
#include <vector>

#include "apps/quantize/quantize_model.h"
#include "base/json.h"
#include "bind.h"
#include "calls.h"
#include "check.h"
#include "surroundings.h"
#include "wait.h"

namespace pleiad::python {

namespace nb = nanobind;

namespace {

using OnWriting = std::function<void(const std::string& what, std::uint64_t, std::uint64_t)>;

/// [report, notes] as JSON.
std::string quantize(const std::string& source, const std::string& target, const std::string& type,
                     const std::vector<std::string>& keep, const std::string& rounding,
                     const std::string& calibrate, bool from_quantized, bool force, int threads,
                     const std::string& projector, const std::string& target_projector,
                     const std::string& vision_type, const std::string& audio_type,
                     const std::string& package, const OnWriting& on_progress) {
  apps::QuantizeAsk ask;
  ask.write.source = source;
  ask.write.target = target;
  ask.write.projector = projector;
  ask.write.target_projector = target_projector;
  ask.write.vision_type = vision_type;
  ask.write.audio_type = audio_type;
  ask.write.threads = within("threads", threads, 0, 1024);
  ask.write.force = force;
  ask.type = type;
  ask.keep = keep;
  ask.rounding = named<quantize::Rounding>(
      "rounding", rounding,
      {{"nearest", quantize::Rounding::nearest}, {"search", quantize::Rounding::search}});
  ask.calibrate = calibrate;
  ask.from_quantized = from_quantized;
  const apps::Environment environment = environment_of(package);

  const nb::gil_scoped_release release;
  SignalWatch signals;
  Json notes = Json::array();
  apps::WriteWatch watch;
  watch.check = [&] { signals.look(); };
  watch.progress = [&](std::string_view what, std::uint64_t done, std::uint64_t total) {
    if (!on_progress) return;
    check_calls();
    const nb::gil_scoped_acquire acquire;
    on_progress(std::string(what), done, total);
  };
  watch.note = [&](const std::string& text) { notes.push_back(text); };
  const apps::WrittenModel written = apps::quantize_model(ask, environment, watch);
  return fmt::format("[{}, {}]", apps::format_json(written), to_text(notes));
}

}  // namespace

void bind_quantize(nb::module_& module) {
  module.def("quantize", &quantize, nb::kw_only(), nb::arg("source"), nb::arg("target"),
             nb::arg("type"), nb::arg("keep"), nb::arg("rounding"), nb::arg("calibrate"),
             nb::arg("from_quantized"), nb::arg("force"), nb::arg("threads"), nb::arg("projector"),
             nb::arg("target_projector"), nb::arg("vision_type"), nb::arg("audio_type"),
             nb::arg("package"), nb::arg("on_progress").none(), nb::call_guard<Call>());
}

}  // namespace pleiad::python
