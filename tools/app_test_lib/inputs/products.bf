sum = 0;
for (i = 1; i < MPI_NODE_COUNT; i = i + 1) { MPISend(i, "return " + i + "*7;"); }
for (i = 1; i < MPI_NODE_COUNT; i = i + 1) { MPIReceive(-1, from, result); sum = sum + (0 + result); }
fprintf(stdout, "nodes ", MPI_NODE_COUNT, " sum ", sum, "\n");
