# Kernel IS: its parts alone, the sort of all ranks together, and class S.
fmpl_add_test(npb_is_test is_bucket_partition_test.cpp is_bucket_scatter_test.cpp is_key_sequence_test.cpp
  is_ranking_test.cpp LOCAL LIBS npb_is npb_common npb_communication_fmpl LABELS npb)
fmpl_add_test(npb_is_sort_test is_full_verification_test.cpp is_integer_sort_test.cpp
  LIBS npb_is npb_common npb_communication_fmpl LABELS npb)
fmpl_add_test(npb_is_kernel_test is_kernel_test.cpp LIBS npb_is npb_common npb_communication_fmpl LABELS npb)
