#pragma once

#include <nanobind/nanobind.h>

namespace pleiad::python {

void bind_measure(nanobind::module_& module);
void bind_model(nanobind::module_& module);
void bind_quantize(nanobind::module_& module);
void bind_server(nanobind::module_& module);

}  // namespace pleiad::python
