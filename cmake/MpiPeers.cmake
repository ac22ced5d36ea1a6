# The MPIs over which programs are built a second time, for comparison with FMPL. FMPL_MPIS has their names; a name is
# the ending of the programs, and fmpl_mpi_<name> what they link. `mpi` is FMPL's own, over which the BLACS and PDGEMM
# are installed; FMPL_MPI_PEERS has the others, over which they are not.

set(FMPL_MPIS)
set(FMPL_MPI_PEERS)

# fmpl_add_mpi(name library): programs over the MPI `library`, a target.
macro(fmpl_add_mpi name library)
  add_library(fmpl_mpi_${name} INTERFACE)
  target_link_libraries(fmpl_mpi_${name} INTERFACE ${library})
  list(APPEND FMPL_MPIS ${name})
endmacro()

# They are whole programs, which no test starts under ThreadSanitizer.
if(NOT FMPL_SANITIZE STREQUAL "thread")
  fmpl_add_mpi(mpi mpi_fmpl)
endif()

# fmpl_find_mpi_peer(name module packages): the same for an installed MPI, by its own pkg-config module, whichever MPI
# the system's alternatives point to. Its C++ bindings, which MPI has given up, are left out.
macro(fmpl_find_mpi_peer name module packages)
  pkg_check_modules(${name} QUIET IMPORTED_TARGET ${module})
  if(${name}_FOUND)
    fmpl_add_mpi(${name} PkgConfig::${name})
    list(APPEND FMPL_MPI_PEERS ${name})
    target_compile_definitions(fmpl_mpi_${name} INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
  else()
    message(STATUS "The programs over ${name} are left out: install the packages ${packages}")
  endif()
endmacro()

if(FMPL_BENCH_PEERS)
  find_package(PkgConfig REQUIRED)
  fmpl_find_mpi_peer(openmpi ompi-c "openmpi-bin libopenmpi-dev")
  fmpl_find_mpi_peer(mpich mpich "mpich libmpich-dev")
endif()
