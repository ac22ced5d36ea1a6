# What lets other projects find an installed FMPL: the CMake package and the pkg-config files. Both find their prefix
# from their own place, so that an installation may be moved.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/FMPL)
configure_package_config_file(cmake/FMPLConfig.cmake.in ${PROJECT_BINARY_DIR}/cmake/FMPLConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cmake/FMPLConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cmake/FMPLConfig.cmake ${PROJECT_BINARY_DIR}/cmake/FMPLConfigVersion.cmake
  DESTINATION ${package_dir})
install(EXPORT FMPLTargets NAMESPACE FMPL:: DESTINATION ${package_dir})

set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH pkgconfig_to_prefix /${pkgconfig_dir} /)
string(REGEX REPLACE "/$" "" pkgconfig_to_prefix "${pkgconfig_to_prefix}")

# One pkg-config file, for the library of the same name; with the folder of its headers when they have one of their own.
function(fmpl_pkgconfig name description requires)
  set(header_folder ${ARGN})
  list(TRANSFORM header_folder PREPEND /)
  configure_file(cmake/library.pc.in ${PROJECT_BINARY_DIR}/pkgconfig/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/pkgconfig/${name}.pc DESTINATION ${pkgconfig_dir})
endfunction()

fmpl_pkgconfig(fmpl "${PROJECT_DESCRIPTION}" "")
fmpl_pkgconfig(blacs_fmpl "The BLACS over FMPL" "fmpl")
fmpl_pkgconfig(mpi_fmpl "MPI over FMPL, in MPICH's binary interface" "" fmpl-mpi)
if(FMPL_BUILD_APPS)
  fmpl_pkgconfig(pdgemm_fmpl "Distributed matrix product with the ScaLAPACK calling sequence" "blacs_fmpl")
endif()

install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
