# `make package`: a .deb of what `cmake --install` installs, and the file of licences that Debian wants
# beside it. It depends on the libraries of the Debian that it was built on, and is for that release.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME pleiad)
set(CPACK_PACKAGE_CONTACT "Pleiad maintainers <maintainers@users.noreply.a-seed-19856106.example>")
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
# Archives of the sources are the repository's.
foreach(kind TBZ2 TGZ TXZ TZ)
  set(CPACK_SOURCE_${kind} OFF)
endforeach()

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)  # pleiad_<version>_<arch>.deb
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
# Whom a client of https trusts; what PDF is read by, which is never linked, and its tables for
# documents of East Asia; what HTML and DOCX, and what sounds and videos are read with, which is loaded
# when it is needed and brings a hundred libraries: who hears nothing may leave it out.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "ca-certificates, poppler-utils, poppler-data")
if(libzip_FOUND AND libxml2_FOUND)
  string(APPEND CPACK_DEBIAN_PACKAGE_RECOMMENDS ", libzip4 | libzip5, libxml2 | libxml2-16")
endif()
if(ffmpeg_FOUND AND soxr_FOUND)
  foreach(library avformat avcodec avutil swscale)
    string(REGEX MATCH "^[0-9]+" major "${ffmpeg_lib${library}_VERSION}")
    string(APPEND CPACK_DEBIAN_PACKAGE_RECOMMENDS ", lib${library}${major}")
  endforeach()
  string(APPEND CPACK_DEBIAN_PACKAGE_RECOMMENDS ", libsoxr0")
endif()
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"runs Gemma 4 language models on the processor
Chats with Google's Gemma 4 models at a terminal, serves them to the clients
of Ollama, OpenAI and Anthropic, and quantizes, measures and checks them.
It needs no GPU. The server is a service of systemd as well, which is not
started unless its administrator says so: systemctl enable --now pleiad
.
A small demo model is part of the package: pleiad run demo")

# One package of all components. The file of licences, the service and its settings are a component that
# `cmake --install` leaves out. `..`: the prefix is /usr.
set(debian ${PROJECT_SOURCE_DIR}/packaging/debian)
install(FILES ${debian}/copyright ${debian}/README.Debian
        DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/pleiad
        COMPONENT debian EXCLUDE_FROM_ALL)
install(FILES ${PROJECT_SOURCE_DIR}/packaging/systemd/pleiad.service
        DESTINATION lib/systemd/system
        COMPONENT debian EXCLUDE_FROM_ALL)
install(FILES ${debian}/pleiad.default
        DESTINATION ../etc/default RENAME pleiad
        COMPONENT debian EXCLUDE_FROM_ALL)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA
    ${debian}/conffiles ${debian}/postinst ${debian}/prerm ${debian}/postrm)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
get_cmake_property(CPACK_COMPONENTS_ALL COMPONENTS)
list(REMOVE_ITEM CPACK_COMPONENTS_ALL python)  # a wheel's
include(CPack)
