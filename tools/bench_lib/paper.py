"""What the paper (O. Tatebe et al., Design and implementation of FMPL, section 5) measured on the Hitachi SR8000, as
far as its text and its tables have the numbers; those of its figures are in pictures only."""

MACHINE = "Hitachi SR8000, 2 to 16 nodes"

# us, 8 bytes; (send, receive) by part
BREAKDOWN = {"sender": {"init": 0.5, "receive header": 5.0, "send message": 8.1},
             "receiver": {"init": 0.5, "send header": 6.1, "receive message": 5.6}}

# us, 4 bytes, hundreds of receives: posting a receive, one-way latency
OUTSTANDING = {"FMPL": (7.03, 9.90), "MPI": (370.1, 945.8)}

# seconds: {class: {ranks: (MPI, FMPL)}}
FT = {"A": {2: (17.94, 17.56), 4: (8.63, 8.53), 8: (4.43, 4.30), 16: (2.43, 2.19)},
      "B": {2: (193.07, 189.25), 4: (97.42, 96.75), 8: (47.93, 47.87), 16: (24.32, 24.09)}}
MG = {"A": {2: (1.02, 0.95), 4: (0.59, 0.53), 8: (0.37, 0.31), 16: (0.26, 0.19)},
      "B": {2: (4.81, 4.45), 4: (2.80, 2.50), 8: (1.74, 1.46), 16: (1.22, 0.86)},
      "C": {2: (32.2, 31.5), 4: (16.8, 16.4), 8: (8.9, 8.6), 16: (5.1, 4.6)}}

# GFlop/s: {ranks: (MPIBLACS, BLACS-FMPL)}
PDGEMM = {2: (5.64, 6.27), 4: (7.87, 10.74), 8: (6.18, 17.24), 16: (4.85, 24.45)}

# What the text says of the figures.
SAYS = {
    "fig6": ["Rate at 16 MB: FMPL and BLACS-FMPL 999 MB/s, MPI(rdma) 997, MPI(nordma) 791, MPIBLACS(rdma) 591, "
             "MPIBLACS(nordma) 522; the network gives 1000.",
             "8 bytes, one way: FMPL 12.8 us, BLACS-FMPL 15.7, MPI 20, MPIBLACS 34; the remote write alone 4.7."],
    "fig7": ["The hardware barrier takes 8 us at any number of nodes; the one in software grows with the logarithm of "
             "the nodes, and FMPL always takes the former. MPI's is slower than the one in software with 9 to 15 "
             "nodes."],
    "fig8": ["The hardware broadcast is always faster than the tree; MPI's is large where it cannot use the hardware."],
    "fig9": ["8 MB to 16 nodes: FMPL 877 MB/s by hardware, 250 in software; MPI is 57 % behind."],
    "fig10": ["All libraries take a binary tree; FMPL and BLACS-FMPL about half of the time of the others."],
    "fig11": ["Communication with 16 processes: about 5 % of the time with FMPL, 13 % with MPI."],
    "fig12": ["Communication with 16 processes: 9 % of the time with FMPL, about 36 % with MPI."],
    "fig13": ["Computation takes about as long with either; MPIBLACS has a significantly larger share of "
              "communication, above all with 16 processes."],
}
