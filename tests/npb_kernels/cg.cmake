# Kernel CG: its parts alone, the product of all ranks together, and class S in several layouts.
fmpl_add_test(npb_cg_test cg_process_grid_test.cpp cg_sparse_matrix_test.cpp cg_sparse_product_test.cpp
  cg_vector_operations_test.cpp
  LOCAL LIBS npb_cg npb_common npb_communication_fmpl Eigen3::Eigen LABELS npb)
fmpl_add_test(npb_cg_product_test cg_distributed_product_test.cpp
  LIBS npb_cg npb_common npb_communication_fmpl LABELS npb)
fmpl_add_test(npb_cg_kernel_test cg_kernel_test.cpp LIBS npb_cg npb_common npb_communication_fmpl LABELS npb)
