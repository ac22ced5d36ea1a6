# What the kernels share, alone; the programs of all kernels over every library that they were built for.
set(npb_dir ${PROJECT_SOURCE_DIR}/npb_kernels)

fmpl_add_test(npb_common_test available_memory_test.cpp random_test.cpp stopwatch_test.cpp work_array_test.cpp
  work_pool_test.cpp
  LOCAL LIBS npb_common LABELS npb)
fmpl_add_test(npb_communication_test communication_test.cpp communication_cases.cpp
  LIBS npb_common npb_communication_fmpl LABELS npb)
if(FMPL_SANITIZE STREQUAL "none")
  add_test(NAME npb_communication_test_turns COMMAND npb_communication_test --gtest_brief=1)
  set_tests_properties(npb_communication_test_turns PROPERTIES
    TIMEOUT 180 LABELS "npb;turns" ENVIRONMENT "${test_environment};FMPL_TEST_MODES=turns")
endif()
fmpl_add_test(npb_program_test program_test.cpp LIBS npb_common npb_communication_fmpl LABELS npb)
foreach(test npb_communication_test npb_program_test npb_common_test)
  if(TARGET ${test})
    target_include_directories(${test} PRIVATE ${npb_dir})
  endif()
endforeach()

set(npb_environment NPB_PROGRAMS=$<TARGET_FILE_DIR:fmplrun>)
add_library(npb_program_probe OBJECT program_probe.cpp)
fmpl_reads_command_line(program_probe.cpp)
target_link_libraries(npb_program_probe PUBLIC npb_common)
foreach(communication fmpl ${FMPL_MPIS})
  add_executable(npb_program_probe.${communication})
  target_link_libraries(npb_program_probe.${communication} PRIVATE
    npb_program_probe npb_common npb_communication_${communication})
  if(communication STREQUAL "fmpl")
    target_link_libraries(npb_program_probe.${communication} PRIVATE npb_ranks_share_a_process)
  endif()
  set_target_properties(npb_program_probe.${communication} PROPERTIES LINKER_LANGUAGE CXX)
  list(APPEND npb_environment NPB_TEST_PROGRAMS=$<TARGET_FILE_DIR:npb_program_probe.${communication}>)
endforeach()
foreach(mpi ${FMPL_MPIS})
  add_executable(npb_communication_test.${mpi} communication_mpi_test.cpp communication_cases.cpp)
  target_include_directories(npb_communication_test.${mpi} PRIVATE ${npb_dir})
  target_link_libraries(npb_communication_test.${mpi} PRIVATE npb_communication_${mpi} GTest::gtest)
endforeach()
list(REMOVE_DUPLICATES npb_environment)
fmpl_add_python_test(npb_test npb_test.py LABELS npb TIMEOUT 300 ENVIRONMENT ${npb_environment})
# Eight ranks that wait for each other on two CPUs yield to whoever else computes: beside another test they take many
# times as long.
if(TEST npb_test)
  set_tests_properties(npb_test PROPERTIES RUN_SERIAL TRUE)
endif()
