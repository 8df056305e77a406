#pragma once

#include <optional>

#include "media/reader.h"

namespace pleiad::apps {

/// This program's own file, started to read a document or to become one of poppler's programs
/// (src/media/documents/document_reader.h): a command of its own, which no help names.
media::HelperProgram own_document_converter();

/// Where the arguments are those of such a process, lives as one and returns its exit status, by
/// which the process ends at once. It comes before all else that a program does.
std::optional<int> run_as_document_converter(int argc, const char* const* argv);

}  // namespace pleiad::apps
