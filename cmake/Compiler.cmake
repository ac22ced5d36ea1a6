# How everything in the tree is compiled: language levels, warnings, sanitizers.
#
# No -march=native (the binaries must run on other machines) and no -ffast-math (results must not depend on the compiler's
# freedom to reorder).

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release or Debug" FORCE)
endif()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  foreach(language C CXX)
    if(NOT DEFINED CMAKE_${language}_COMPILER_LAUNCHER)
      set(CMAKE_${language}_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
    endif()
  endforeach()
endif()

add_compile_options(
  -Wall
  $<$<COMPILE_LANGUAGE:C,CXX>:-Wextra>
  $<$<COMPILE_LANGUAGE:C,CXX>:-Wpedantic>
  $<$<COMPILE_LANGUAGE:C,CXX>:-Wshadow=local>
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>
  $<$<COMPILE_LANGUAGE:CXX>:-Woverloaded-virtual>
  $<$<COMPILE_LANGUAGE:CXX>:-Wsuggest-override>)
if(FMPL_WERROR)
  add_compile_options($<$<COMPILE_LANGUAGE:C,CXX>:-Werror>)
endif()

if(FMPL_SANITIZE STREQUAL "address")
  set(sanitizers -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
elseif(FMPL_SANITIZE STREQUAL "thread")
  # Fences are not modelled by ThreadSanitizer, and g++ warns of each. Here they order atomic operations against each
  # other (who sleeps, who wakes); data is always published by a release store.
  set(sanitizers -fsanitize=thread -fno-omit-frame-pointer -Wno-tsan)
elseif(FMPL_SANITIZE STREQUAL "none")
  set(sanitizers)
else()
  message(FATAL_ERROR "FMPL_SANITIZE is '${FMPL_SANITIZE}'; it must be none, address or thread.")
endif()
add_compile_options(${sanitizers})
add_link_options(${sanitizers})

# fmpl_reads_command_line(sources...): these read a command line by CLI11 and do little else. Optimized in full its templates take twice as
# long to compile.
function(fmpl_reads_command_line)
  set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS "$<$<CONFIG:Release>:-O1>")
endfunction()
