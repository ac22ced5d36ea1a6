# Kernel FT: its parts alone, the transform of all ranks together, and class S in every layout.
fmpl_add_test(npb_ft_test ft_column_transform_test.cpp ft_distribution_test.cpp ft_set_up_test.cpp
  LOCAL LIBS npb_ft npb_common npb_communication_fmpl LABELS npb)
fmpl_add_test(npb_ft_transform_test ft_distributed_transform_test.cpp
  LIBS npb_ft npb_common npb_communication_fmpl LABELS npb)
fmpl_add_test(npb_ft_kernel_test ft_kernel_test.cpp LIBS npb_ft npb_common npb_communication_fmpl LABELS npb)
