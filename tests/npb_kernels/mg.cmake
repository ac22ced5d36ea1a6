# Kernel MG: its parts alone and over ranks, and class S in many layouts.
fmpl_add_test(npb_mg_test mg_domain_test.cpp mg_stencils_test.cpp
  LOCAL LIBS npb_mg npb_common npb_communication_fmpl LABELS npb)
fmpl_add_test(npb_mg_levels_test mg_fused_sweep_test.cpp mg_gathered_levels_test.cpp mg_halo_exchange_test.cpp
  mg_right_hand_side_test.cpp
  LIBS npb_mg npb_common npb_communication_fmpl LABELS npb)
fmpl_add_test(npb_mg_kernel_test mg_kernel_test.cpp LIBS npb_mg npb_common npb_communication_fmpl LABELS npb)
