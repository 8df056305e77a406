#pragma once

#include <libxml/HTMLparser.h>
#include <libxml/parser.h>
#include <libxml/xmlerror.h>
#include <zip.h>

// The functions of libxml2 and libzip that are used here. They are loaded when they are needed, in
// the process that converts: linked to the program they would bring ICU and others into every start
// of it.
namespace pleiad::media {

// clang-format off
#define PLEIAD_XML_FUNCTIONS(F)                                              \
  F(htmlCtxtReadMemory) F(htmlFreeParserCtxt) F(htmlNewParserCtxt)           \
  F(xmlCreatePushParserCtxt) F(xmlCtxtGetLastError) F(xmlCtxtUseOptions)     \
  F(xmlFreeParserCtxt) F(xmlInitParser) F(xmlParseChunk) F(xmlStopParser)
#define PLEIAD_ZIP_FUNCTIONS(F)                                              \
  F(zip_discard) F(zip_error_fini) F(zip_error_init) F(zip_error_strerror)   \
  F(zip_fclose) F(zip_file_strerror) F(zip_fopen_index) F(zip_fread)         \
  F(zip_get_name) F(zip_get_num_entries) F(zip_name_locate)                  \
  F(zip_open_from_source) F(zip_source_buffer_create) F(zip_source_free)     \
  F(zip_stat_index) F(zip_stat_init) F(zip_strerror)
// clang-format on

/// Each as its header declares it.
struct MarkupLibraries {
#define PLEIAD_MEMBER(name) decltype(&::name) name = nullptr;
  PLEIAD_XML_FUNCTIONS(PLEIAD_MEMBER)
  PLEIAD_ZIP_FUNCTIONS(PLEIAD_MEMBER)
#undef PLEIAD_MEMBER
};

/// Loaded once in a process. Throws BadMarkup where a library is not there: "needs libzip.so.4,
/// which cannot be loaded on this machine". A process that may open no files calls
/// load_markup_libraries() before.
const MarkupLibraries& markup_libraries();

}  // namespace pleiad::media
