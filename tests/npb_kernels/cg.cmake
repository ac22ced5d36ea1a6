# Kernel CG: its parts alone, the product of all ranks together, and class S in several layouts.
fmpl_add_test(npb_cg_test cg_fastest_way_test.cpp cg_process_grid_test.cpp cg_sparse_matrix_test.cpp
  cg_sparse_product_test.cpp cg_vector_operations_test.cpp
  LOCAL LIBS npb_cg npb_common npb_communication_fmpl Eigen3::Eigen LABELS npb)
fmpl_add_test(npb_cg_product_test cg_distributed_product_test.cpp
  LIBS npb_cg npb_common npb_communication_fmpl LABELS npb)
if(FMPL_SANITIZE STREQUAL "none")
  add_test(NAME npb_cg_product_test_turns COMMAND npb_cg_product_test --gtest_brief=1)
  set_tests_properties(npb_cg_product_test_turns PROPERTIES
    TIMEOUT 180 LABELS "npb;turns" ENVIRONMENT "${test_environment};FMPL_TEST_MODES=turns")
endif()
fmpl_add_test(npb_cg_kernel_test cg_kernel_test.cpp LIBS npb_cg npb_common npb_communication_fmpl LABELS npb)
