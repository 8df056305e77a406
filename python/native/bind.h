#pragma once

#include <nanobind/nanobind.h>

namespace pleiad::python {

void bind_model(nanobind::module_& module);

}  // namespace pleiad::python
