# How everything in the tree is compiled: language levels, warnings, sanitizers.
#
# No -march=native (the binaries must run on other machines) and no -ffast-math (results must not depend on the
# compiler's freedom to reorder).

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

# What was compiled in one folder serves a clone in another: paths below the sources do not count, nor does the folder
# that is written into debug information. What includes precompiled headers is kept only if their macros are taken as
# they were. And what a file depends on is taken from its compilation: preprocessing it beforehand takes as long as
# compiling a small one.
find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  foreach(language C CXX)
    if(NOT DEFINED CMAKE_${language}_COMPILER_LAUNCHER)
      set(CMAKE_${language}_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
        CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros
        CCACHE_DEPEND=1 ${CCACHE_PROGRAM})
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

# A copy of a length that the compiler does not know is a call of the C library. g++ makes of one that it knows to be
# short "rep movsb", whose start takes the time of a call and of the copy. And a function whose calls have arguments in
# memory, by a frame pointer where it catches exceptions, has room for them at once (both:
# docs/decisions/0032-small-choices.md).
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options($<$<COMPILE_LANGUAGE:C,CXX>:-mstringop-strategy=libcall>
    $<$<COMPILE_LANGUAGE:C,CXX>:-maccumulate-outgoing-args>)
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

# fmpl_precompile(target headers...): reads what nearly every source of the target includes once: the headers named, of
# the target's own, and these of the libraries. Reading headers is most of the compilation of a small file.
#
# In angle brackets, since a name in quotes becomes an absolute path, with which a compiler cache knows one clone only.
function(fmpl_precompile target)
  target_precompile_headers(${target} PRIVATE
    <algorithm> <array> <atomic> <cstdint> <cstring> <memory> <span> <string> <string_view> <vector>
    <fmt/format.h> ${ARGN})
endfunction()

# fmpl_reads_command_line(sources...): these read a command line by CLI11 and do little else. Optimized in full its
# templates take twice as long to compile.
function(fmpl_reads_command_line)
  # Headers that were precompiled with other options do not serve.
  set_source_files_properties(${ARGN} PROPERTIES
    COMPILE_OPTIONS "$<IF:$<CONFIG:Release>,-O1,-O0>" SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# fmpl_has_short_loops(sources...): the time of these is in loops of a few instructions, which each begin a line of the
# instruction cache here. A loop that crosses two takes a quarter longer, wherever it falls by chance.
function(fmpl_has_short_loops)
  set_source_files_properties(${ARGN} PROPERTIES
    COMPILE_OPTIONS "-falign-loops=64" SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# fmpl_join_folders(target): with FMPL_UNITY_BUILD the target's sources of one folder are compiled as one file: most of
# what compiling takes is reading the same headers and instantiating the same templates. What has no linkage is a
# folder's, then. A folder of more than twelve sources becomes several files, so that more than one compiler has work.
function(fmpl_join_folders target)
  if(NOT FMPL_UNITY_BUILD)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    if(NOT source MATCHES "[.]cpp$")
      continue()
    endif()
    cmake_path(ABSOLUTE_PATH source OUTPUT_VARIABLE path)
    cmake_path(RELATIVE_PATH path BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE path)
    get_filename_component(folder ${path} DIRECTORY)
    string(MAKE_C_IDENTIFIER "folder_${folder}" folder)
    if(NOT DEFINED ${folder})
      set(${folder} 0)
    endif()
    math(EXPR part "${${folder}} / 12")
    math(EXPR ${folder} "${${folder}} + 1")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${part})
  endforeach()
endfunction()
