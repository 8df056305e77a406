#include "errors.h"

#include <exception>
#include <new>

#include "api/common/request_error.h"
#include "apps/common/usage_error.h"
#include "base/file_changed_error.h"
#include "serving/request_error.h"
#include "store/catalog.h"

namespace pleiad::python {

namespace nb = nanobind;

namespace {

using Code = serving::ServiceError::Code;

const char* class_of(Code code) {
  switch (code) {
    case Code::bad_request:
      return "RequestError";
    case Code::context_exceeded:
      return "ContextExceededError";
    case Code::unsupported:
      return "UnsupportedError";
    case Code::model_not_found:
      return "ModelNotFoundError";
    case Code::load_failed:
      return "LoadError";
    case Code::model_changed:
      return "FileChangedError";
    case Code::no_memory:
    case Code::out_of_memory:
      return "OutOfMemoryError";
    case Code::busy:
      return "BusyError";
    case Code::deadline:
      return "DeadlineError";
    case Code::shutting_down:
      return "ClosedError";
    case Code::internal:
      break;
  }
  return "InternalError";
}

/// Bytes of a path need not be UTF-8.
nb::object as_text(const std::string& text) {
  return nb::steal(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}

nb::object make_error(const char* name, const std::string& message) {
  return nb::module_::import_("pleiad.errors").attr(name)(as_text(message));
}

void raise(const nb::object& error) {
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
}

void raise_service_error(const serving::ServiceError& failure) {
  const nb::object error = make_error(class_of(failure.code), failure.message);
  if (!failure.field.empty()) error.attr("field") = as_text(failure.field);
  if (failure.code == Code::context_exceeded) {
    error.attr("prompt_tokens") = failure.prompt_tokens;
    error.attr("limit_tokens") = failure.limit_tokens;
  }
  raise(error);
}

/// The most derived first.
void raise_as_python(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const ServiceFailure& failure) {
    raise_service_error(failure.error());
  } catch (const serving::RequestError& failure) {
    raise_service_error(failure.error());
  } catch (const api::RequestError& failure) {
    const nb::object error = make_error("RequestError", failure.what());
    if (!failure.field().empty()) error.attr("field") = as_text(failure.field());
    raise(error);
  } catch (const store::ModelNotFound& failure) {
    raise(make_error("ModelNotFoundError", failure.what()));
  } catch (const ClosedError& failure) {
    raise(make_error("ClosedError", failure.what()));
  } catch (const FileChangedError& failure) {
    raise(make_error("FileChangedError", failure.what()));
  } catch (const LoadError& failure) {
    raise(make_error("LoadError", failure.what()));
  } catch (const NoMemoryError& failure) {
    raise(make_error("OutOfMemoryError", failure.what()));
  } catch (const apps::UsageError& failure) {
    raise(make_error("RequestError", failure.what()));
  } catch (const Error& failure) {
    raise(make_error("Error", failure.what()));
  } catch (const std::bad_alloc&) {
    raise(make_error("OutOfMemoryError", "there is not enough memory"));
  } catch (const InternalError& failure) {
    raise(make_error("InternalError", failure.what()));
  }
}

}  // namespace

void translate_errors() {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void* /*payload*/) {
    try {
      raise_as_python(thrown);
    } catch (nb::python_error& error) {
      error.restore();  // pleiad.errors cannot be imported, say
    }
  });
}

}  // namespace pleiad::python
