// What Python imports as pleiad._native: thin over the rooms of src/ and apps/. JSON crosses the
// border as text, numbers as arrays.

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

#include "apps/common/version.h"
#include "apps/media/converter.h"
#include "apps/media/helper.h"
#include "base/available_memory.h"
#include "bind.h"
#include "calls.h"
#include "errors.h"

namespace {

namespace nb = nanobind;

/// The process that reads a picture, a sound, a video or a document: `words` as of main().
std::optional<int> run_as_helper(const std::vector<std::string>& words) {
  std::vector<const char*> pointers;
  for (const std::string& word : words) pointers.push_back(word.c_str());
  const int count = static_cast<int>(pointers.size());
  const nb::gil_scoped_release release;
  if (const auto status = pleiad::apps::run_as_media_helper(count, pointers.data())) return status;
  return pleiad::apps::run_as_document_converter(count, pointers.data());
}

}  // namespace

NB_MODULE(_native, module) {
  module.doc() = "The engine; use pleiad.Model and the functions beside it.";
  // What a daemon thread holds at the end of a program is no mistake of anybody's.
  nb::set_leak_warnings(false);
  pleiad::python::count_calls_anew_in_forks();
  pleiad::python::translate_errors();
  pleiad::python::bind_measure(module);
  pleiad::python::bind_model(module);
  pleiad::python::bind_quantize(module);
  pleiad::python::bind_server(module);
  module.def("available_memory", [] { return pleiad::available_memory(); });
  module.def("end_calls", &pleiad::python::end_calls);
  module.def("run_as_helper", &run_as_helper, nb::arg("words"));
  module.def("version", &pleiad::apps::program_version);
}
