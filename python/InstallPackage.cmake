# What the wheel holds beside the Python files, as component `python`, which `cmake --install` leaves
# out: the extension, and the demo model where the program would look for it beside itself.
function(pleiad_install_package extension)
  install(FILES ${extension} DESTINATION pleiad COMPONENT python EXCLUDE_FROM_ALL)
  set(demo ${PROJECT_SOURCE_DIR}/models/demo)
  install(FILES ${demo}/pleiad-demo.gguf ${demo}/mmproj-pleiad-demo.gguf ${demo}/seven.wav
                ${demo}/shapes.png ${demo}/README.md
          DESTINATION pleiad/share/pleiad/demo COMPONENT python EXCLUDE_FROM_ALL)
endfunction()
