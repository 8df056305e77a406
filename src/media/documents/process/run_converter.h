#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "media/documents/process/become_program.h"

// The life of a process that reads a document, which DocumentReader starts of this program's own
// file. What it says on its standard error begins with a line of ours, before it has seen a byte of
// the document: "confined 7" (ProgramConfinement::bits()) or "not confined: WHY".
namespace pleiad::media {

/// The words that make one: what it is to be, its limits, and then its own arguments.
///   {"program", "/usr/bin/pdftotext", ...}  becomes that program
///   {"html"}, {"docx"}                      converts standard input to text on standard output
std::vector<std::string> converter_words(std::string_view what, const ProgramLimits& limits,
                                         std::vector<std::string> arguments = {});

/// Exit statuses of it. Beside these a program's own.
inline constexpr int kConverterFailed = 121;  // standard error says what is wrong with the document
inline constexpr int kConverterLost = 122;  // the process is not to be had: standard error says why

/// Reads these words and lives so. Where it returns, the process ends by that status without
/// anything else (_exit).
int run_converter(std::span<const char* const> words) noexcept;

/// Whether standard output and error are such pipes as DocumentReader gives.
bool is_started_as_converter();

}  // namespace pleiad::media
