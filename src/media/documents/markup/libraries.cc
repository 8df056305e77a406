#include "media/documents/markup/libraries.h"

#include <dlfcn.h>

#include <string>

#include "base/text_format.h"
#include "media/documents/markup/bad_markup.h"
#include "media/documents/markup/load_libraries.h"

namespace pleiad::media {
namespace {

/// For the life of the process.
class MarkupLibrary {
 public:
  explicit MarkupLibrary(const char* name)
      : name_(name), handle_(::dlopen(name, RTLD_LAZY | RTLD_LOCAL)) {
    if (handle_ != nullptr) return;
    const char* const why = ::dlerror();
    throw BadMarkup("needs {}, which cannot be loaded on this machine: {}", name_,
                    printable(why == nullptr ? "" : why, 200));
  }

  template <typename Function>
  void find(const char* function, Function& into) const {
    into = reinterpret_cast<Function>(::dlsym(handle_, function));
    if (into == nullptr) throw BadMarkup("needs {} of {}, which is not there", function, name_);
  }

 private:
  const char* name_;
  void* handle_;
};

MarkupLibraries load_all_for_markup() {
  MarkupLibraries all;
#define PLEIAD_FIND(name) library.find(#name, all.name);
  {
    const MarkupLibrary library(PLEIAD_LIBXML2);
    PLEIAD_XML_FUNCTIONS(PLEIAD_FIND)
  }
  {
    const MarkupLibrary library(PLEIAD_LIBZIP);
    PLEIAD_ZIP_FUNCTIONS(PLEIAD_FIND)
  }
#undef PLEIAD_FIND
  all.xmlInitParser();
  return all;
}

}  // namespace

const MarkupLibraries& markup_libraries() {
  static const MarkupLibraries all = load_all_for_markup();
  return all;
}

void load_markup_libraries() {
  try {
    markup_libraries();
  } catch (const BadMarkup&) {  // told to whoever sends a document
  }
}

}  // namespace pleiad::media
