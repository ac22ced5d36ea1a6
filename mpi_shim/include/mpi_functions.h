/* MPI 3.1 over FMPL: the functions, in the order of the standard's chapters. They are the same in every binary
   interface, whose mpi.h includes this behind its types and constants.

   Every function also exists under its profiling name: PMPI_Send for MPI_Send. */
#ifndef FMPL_MPI_FUNCTIONS_H
#define FMPL_MPI_FUNCTIONS_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The user's functions: 5.9.5, 6.7, 8.3, 12.2, and the old names of 15 ---- */

typedef void(MPI_User_function)(void *invec, void *inoutvec, int *len, MPI_Datatype *datatype);

typedef int(MPI_Comm_copy_attr_function)(MPI_Comm, int keyval, void *extra_state, void *value_in, void *value_out,
                                         int *flag);
typedef int(MPI_Comm_delete_attr_function)(MPI_Comm, int keyval, void *value, void *extra_state);
typedef int(MPI_Type_copy_attr_function)(MPI_Datatype, int keyval, void *extra_state, void *value_in, void *value_out,
                                         int *flag);
typedef int(MPI_Type_delete_attr_function)(MPI_Datatype, int keyval, void *value, void *extra_state);
typedef int(MPI_Win_copy_attr_function)(MPI_Win, int keyval, void *extra_state, void *value_in, void *value_out,
                                        int *flag);
typedef int(MPI_Win_delete_attr_function)(MPI_Win, int keyval, void *value, void *extra_state);
typedef MPI_Comm_copy_attr_function MPI_Copy_function;
typedef MPI_Comm_delete_attr_function MPI_Delete_function;

typedef void(MPI_Comm_errhandler_function)(MPI_Comm *, int *code, ...);
typedef MPI_Comm_errhandler_function MPI_Comm_errhandler_fn;
typedef MPI_Comm_errhandler_function MPI_Handler_function;
typedef void(MPI_Win_errhandler_function)(MPI_Win *, int *code, ...);
typedef MPI_Win_errhandler_function MPI_Win_errhandler_fn;
typedef void(MPI_File_errhandler_function)(MPI_File *, int *code, ...);
typedef MPI_File_errhandler_function MPI_File_errhandler_fn;

typedef int(MPI_Grequest_query_function)(void *extra_state, MPI_Status *status);
typedef int(MPI_Grequest_free_function)(void *extra_state);
typedef int(MPI_Grequest_cancel_function)(void *extra_state, int complete);

typedef int(MPI_Datarep_conversion_function)(void *userbuf, MPI_Datatype, int count, void *filebuf, MPI_Offset position,
                                             void *extra_state);
typedef int(MPI_Datarep_extent_function)(MPI_Datatype, MPI_Aint *extent, void *extra_state);

/* FMPL_MPI_CALL(type, MPI_X, (parameters)); declares MPI_X and PMPI_X. */
#define FMPL_MPI_CALL(type, name, parameters) \
    type name parameters;                     \
    type P##name parameters

/* ---- 3 Point-to-point communication ---- */

/* 3.2, 3.4 Blocking send, in each mode, and receive */
FMPL_MPI_CALL(int, MPI_Send, (const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm));
FMPL_MPI_CALL(int, MPI_Bsend, (const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm));
FMPL_MPI_CALL(int, MPI_Ssend, (const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm));
FMPL_MPI_CALL(int, MPI_Rsend, (const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm));
FMPL_MPI_CALL(int, MPI_Recv,
              (void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Status *status));
FMPL_MPI_CALL(int, MPI_Get_count, (const MPI_Status *status, MPI_Datatype datatype, int *count));

/* 3.6 The buffer of MPI_Bsend */
FMPL_MPI_CALL(int, MPI_Buffer_attach, (void *buffer, int size));
FMPL_MPI_CALL(int, MPI_Buffer_detach, (void *buffer_addr, int *size));

/* 3.7 Non-blocking communication */
FMPL_MPI_CALL(int, MPI_Isend,
              (const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
               MPI_Request *request));
FMPL_MPI_CALL(int, MPI_Ibsend,
              (const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
               MPI_Request *request));
FMPL_MPI_CALL(int, MPI_Issend,
              (const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
               MPI_Request *request));
FMPL_MPI_CALL(int, MPI_Irsend,
              (const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
               MPI_Request *request));
FMPL_MPI_CALL(int, MPI_Irecv,
              (void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request *request));
FMPL_MPI_CALL(int, MPI_Wait, (MPI_Request * request, MPI_Status *status));
FMPL_MPI_CALL(int, MPI_Test, (MPI_Request * request, int *flag, MPI_Status *status));
FMPL_MPI_CALL(int, MPI_Request_free, (MPI_Request * request));
FMPL_MPI_CALL(int, MPI_Waitany, (int count, MPI_Request requests[], int *index, MPI_Status *status));
FMPL_MPI_CALL(int, MPI_Testany, (int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status));
FMPL_MPI_CALL(int, MPI_Waitall, (int count, MPI_Request requests[], MPI_Status *statuses));
FMPL_MPI_CALL(int, MPI_Testall, (int count, MPI_Request requests[], int *flag, MPI_Status *statuses));
FMPL_MPI_CALL(int, MPI_Waitsome,
              (int incount, MPI_Request requests[], int *outcount, int indices[], MPI_Status *statuses));
FMPL_MPI_CALL(int, MPI_Testsome,
              (int incount, MPI_Request requests[], int *outcount, int indices[], MPI_Status *statuses));
FMPL_MPI_CALL(int, MPI_Request_get_status, (MPI_Request request, int *flag, MPI_Status *status));

/* 3.8 Probe, matched probe, cancel */
FMPL_MPI_CALL(int, MPI_Iprobe, (int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status));
FMPL_MPI_CALL(int, MPI_Probe, (int source, int tag, MPI_Comm comm, MPI_Status *status));
FMPL_MPI_CALL(int, MPI_Improbe,
              (int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status));
FMPL_MPI_CALL(int, MPI_Mprobe, (int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status));
FMPL_MPI_CALL(int, MPI_Mrecv, (void *buf, int count, MPI_Datatype datatype, MPI_Message *message, MPI_Status *status));
FMPL_MPI_CALL(int, MPI_Imrecv,
              (void *buf, int count, MPI_Datatype datatype, MPI_Message *message, MPI_Request *request));
FMPL_MPI_CALL(int, MPI_Cancel, (MPI_Request * request));
FMPL_MPI_CALL(int, MPI_Test_cancelled, (const MPI_Status *status, int *flag));

/* 3.9 Persistent requests */
FMPL_MPI_CALL(int, MPI_Send_init,
              (const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
               MPI_Request *request));
FMPL_MPI_CALL(int, MPI_Bsend_init,
              (const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
               MPI_Request *request));
FMPL_MPI_CALL(int, MPI_Ssend_init,
              (const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
               MPI_Request *request));
FMPL_MPI_CALL(int, MPI_Rsend_init,
              (const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
               MPI_Request *request));
FMPL_MPI_CALL(int, MPI_Recv_init,
              (void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request *request));
FMPL_MPI_CALL(int, MPI_Start, (MPI_Request * request));
FMPL_MPI_CALL(int, MPI_Startall, (int count, MPI_Request requests[]));

/* 3.10 Send and receive at once */
FMPL_MPI_CALL(int, MPI_Sendrecv,
              (const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf,
               int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status *status));
FMPL_MPI_CALL(int, MPI_Sendrecv_replace,
              (void *buf, int count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag,
               MPI_Comm comm, MPI_Status *status));

/* ---- 4 Data types ---- */

/* 4.1.2 to 4.1.4 Constructors */
FMPL_MPI_CALL(int, MPI_Type_contiguous, (int count, MPI_Datatype oldtype, MPI_Datatype *newtype));
FMPL_MPI_CALL(int, MPI_Type_vector,
              (int count, int blocklength, int stride, MPI_Datatype oldtype, MPI_Datatype *newtype));
FMPL_MPI_CALL(int, MPI_Type_create_hvector,
              (int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype, MPI_Datatype *newtype));
FMPL_MPI_CALL(int, MPI_Type_indexed,
              (int count, const int blocklengths[], const int displacements[], MPI_Datatype oldtype,
               MPI_Datatype *newtype));
FMPL_MPI_CALL(int, MPI_Type_create_hindexed,
              (int count, const int blocklengths[], const MPI_Aint displacements[], MPI_Datatype oldtype,
               MPI_Datatype *newtype));
FMPL_MPI_CALL(int, MPI_Type_create_indexed_block,
              (int count, int blocklength, const int displacements[], MPI_Datatype oldtype, MPI_Datatype *newtype));
FMPL_MPI_CALL(int, MPI_Type_create_hindexed_block,
              (int count, int blocklength, const MPI_Aint displacements[], MPI_Datatype oldtype,
               MPI_Datatype *newtype));
FMPL_MPI_CALL(int, MPI_Type_create_struct,
              (int count, const int blocklengths[], const MPI_Aint displacements[], const MPI_Datatype types[],
               MPI_Datatype *newtype));
FMPL_MPI_CALL(int, MPI_Type_create_subarray,
              (int ndims, const int sizes[], const int subsizes[], const int starts[], int order, MPI_Datatype oldtype,
               MPI_Datatype *newtype));
FMPL_MPI_CALL(int, MPI_Type_create_darray,
              (int size, int rank, int ndims, const int gsizes[], const int distribs[], const int dargs[],
               const int psizes[], int order, MPI_Datatype oldtype, MPI_Datatype *newtype));

/* 4.1.5 to 4.1.8 Addresses, sizes and bounds */
FMPL_MPI_CALL(int, MPI_Get_address, (const void *location, MPI_Aint *address));
FMPL_MPI_CALL(MPI_Aint, MPI_Aint_add, (MPI_Aint base, MPI_Aint disp));
FMPL_MPI_CALL(MPI_Aint, MPI_Aint_diff, (MPI_Aint addr1, MPI_Aint addr2));
FMPL_MPI_CALL(int, MPI_Type_size, (MPI_Datatype datatype, int *size));
FMPL_MPI_CALL(int, MPI_Type_size_x, (MPI_Datatype datatype, MPI_Count *size));
FMPL_MPI_CALL(int, MPI_Type_get_extent, (MPI_Datatype datatype, MPI_Aint *lb, MPI_Aint *extent));
FMPL_MPI_CALL(int, MPI_Type_get_extent_x, (MPI_Datatype datatype, MPI_Count *lb, MPI_Count *extent));
FMPL_MPI_CALL(int, MPI_Type_create_resized,
              (MPI_Datatype oldtype, MPI_Aint lb, MPI_Aint extent, MPI_Datatype *newtype));
FMPL_MPI_CALL(int, MPI_Type_get_true_extent, (MPI_Datatype datatype, MPI_Aint *true_lb, MPI_Aint *true_extent));
FMPL_MPI_CALL(int, MPI_Type_get_true_extent_x, (MPI_Datatype datatype, MPI_Count *true_lb, MPI_Count *true_extent));

/* 4.1.9 to 4.1.13 Commit, free, duplicate, count, decode */
FMPL_MPI_CALL(int, MPI_Type_commit, (MPI_Datatype * datatype));
FMPL_MPI_CALL(int, MPI_Type_free, (MPI_Datatype * datatype));
FMPL_MPI_CALL(int, MPI_Type_dup, (MPI_Datatype oldtype, MPI_Datatype *newtype));
FMPL_MPI_CALL(int, MPI_Get_elements, (const MPI_Status *status, MPI_Datatype datatype, int *count));
FMPL_MPI_CALL(int, MPI_Get_elements_x, (const MPI_Status *status, MPI_Datatype datatype, MPI_Count *count));
FMPL_MPI_CALL(int, MPI_Type_get_envelope,
              (MPI_Datatype datatype, int *num_integers, int *num_addresses, int *num_datatypes, int *combiner));
FMPL_MPI_CALL(int, MPI_Type_get_contents,
              (MPI_Datatype datatype, int max_integers, int max_addresses, int max_datatypes, int integers[],
               MPI_Aint addresses[], MPI_Datatype datatypes[]));

/* 4.2, 4.3 Pack and unpack */
FMPL_MPI_CALL(int, MPI_Pack,
              (const void *inbuf, int incount, MPI_Datatype datatype, void *outbuf, int outsize, int *position,
               MPI_Comm comm));
FMPL_MPI_CALL(int, MPI_Unpack,
              (const void *inbuf, int insize, int *position, void *outbuf, int outcount, MPI_Datatype datatype,
               MPI_Comm comm));
FMPL_MPI_CALL(int, MPI_Pack_size, (int incount, MPI_Datatype datatype, MPI_Comm comm, int *size));
FMPL_MPI_CALL(int, MPI_Pack_external,
              (const char datarep[], const void *inbuf, int incount, MPI_Datatype datatype, void *outbuf,
               MPI_Aint outsize, MPI_Aint *position));
FMPL_MPI_CALL(int, MPI_Unpack_external,
              (const char datarep[], const void *inbuf, MPI_Aint insize, MPI_Aint *position, void *outbuf, int outcount,
               MPI_Datatype datatype));
FMPL_MPI_CALL(int, MPI_Pack_external_size, (const char datarep[], int incount, MPI_Datatype datatype, MPI_Aint *size));

/* ---- 5 Collective communication ---- */

/* 5.3 to 5.8 Barrier, broadcast, gather, scatter, all-to-all */
FMPL_MPI_CALL(int, MPI_Barrier, (MPI_Comm comm));
FMPL_MPI_CALL(int, MPI_Bcast, (void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm));
FMPL_MPI_CALL(int, MPI_Gather,
              (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
               MPI_Datatype recvtype, int root, MPI_Comm comm));
FMPL_MPI_CALL(int, MPI_Gatherv,
              (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
               const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm));
FMPL_MPI_CALL(int, MPI_Scatter,
              (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
               MPI_Datatype recvtype, int root, MPI_Comm comm));
FMPL_MPI_CALL(int, MPI_Scatterv,
              (const void *sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype, void *recvbuf,
               int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm));
FMPL_MPI_CALL(int, MPI_Allgather,
              (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
               MPI_Datatype recvtype, MPI_Comm comm));
FMPL_MPI_CALL(int, MPI_Allgatherv,
              (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
               const int displs[], MPI_Datatype recvtype, MPI_Comm comm));
FMPL_MPI_CALL(int, MPI_Alltoall,
              (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
               MPI_Datatype recvtype, MPI_Comm comm));
FMPL_MPI_CALL(int, MPI_Alltoallv,
              (const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void *recvbuf,
               const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm));
FMPL_MPI_CALL(int, MPI_Alltoallw,
              (const void *sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[],
               void *recvbuf, const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[],
               MPI_Comm comm));

/* 5.9 to 5.11 Reductions and their operations */
FMPL_MPI_CALL(int, MPI_Reduce,
              (const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root,
               MPI_Comm comm));
FMPL_MPI_CALL(int, MPI_Allreduce,
              (const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm));
FMPL_MPI_CALL(int, MPI_Reduce_scatter_block,
              (const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm));
FMPL_MPI_CALL(int, MPI_Reduce_scatter,
              (const void *sendbuf, void *recvbuf, const int recvcounts[], MPI_Datatype datatype, MPI_Op op,
               MPI_Comm comm));
FMPL_MPI_CALL(int, MPI_Scan,
              (const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm));
FMPL_MPI_CALL(int, MPI_Exscan,
              (const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm));
FMPL_MPI_CALL(int, MPI_Reduce_local, (const void *inbuf, void *inoutbuf, int count, MPI_Datatype datatype, MPI_Op op));
FMPL_MPI_CALL(int, MPI_Op_create, (MPI_User_function * user_fn, int commute, MPI_Op *op));
FMPL_MPI_CALL(int, MPI_Op_free, (MPI_Op * op));
FMPL_MPI_CALL(int, MPI_Op_commutative, (MPI_Op op, int *commute));

/* 5.12 Non-blocking collective operations */
FMPL_MPI_CALL(int, MPI_Ibarrier, (MPI_Comm comm, MPI_Request *request));
FMPL_MPI_CALL(int, MPI_Ibcast,
              (void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm, MPI_Request *request));
FMPL_MPI_CALL(int, MPI_Igather,
              (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
               MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request));
FMPL_MPI_CALL(int, MPI_Igatherv,
              (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
               const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request));
FMPL_MPI_CALL(int, MPI_Iscatter,
              (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
               MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request));
FMPL_MPI_CALL(int, MPI_Iscatterv,
              (const void *sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype, void *recvbuf,
               int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request));
FMPL_MPI_CALL(int, MPI_Iallgather,
              (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
               MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request));
FMPL_MPI_CALL(int, MPI_Iallgatherv,
              (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
               const int displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request));
FMPL_MPI_CALL(int, MPI_Ialltoall,
              (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
               MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request));
FMPL_MPI_CALL(int, MPI_Ialltoallv,
              (const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void *recvbuf,
               const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
               MPI_Request *request));
FMPL_MPI_CALL(int, MPI_Ialltoallw,
              (const void *sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[],
               void *recvbuf, const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[],
               MPI_Comm comm, MPI_Request *request));
FMPL_MPI_CALL(int, MPI_Ireduce,
              (const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm,
               MPI_Request *request));
FMPL_MPI_CALL(int, MPI_Iallreduce,
              (const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
               MPI_Request *request));
FMPL_MPI_CALL(int, MPI_Ireduce_scatter_block,
              (const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
               MPI_Request *request));
FMPL_MPI_CALL(int, MPI_Ireduce_scatter,
              (const void *sendbuf, void *recvbuf, const int recvcounts[], MPI_Datatype datatype, MPI_Op op,
               MPI_Comm comm, MPI_Request *request));
FMPL_MPI_CALL(int, MPI_Iscan,
              (const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
               MPI_Request *request));
FMPL_MPI_CALL(int, MPI_Iexscan,
              (const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
               MPI_Request *request));

/* ---- 6 Groups, communicators, caching ---- */

/* 6.3 Groups */
FMPL_MPI_CALL(int, MPI_Group_size, (MPI_Group group, int *size));
FMPL_MPI_CALL(int, MPI_Group_rank, (MPI_Group group, int *rank));
FMPL_MPI_CALL(int, MPI_Group_translate_ranks,
              (MPI_Group group1, int n, const int ranks1[], MPI_Group group2, int ranks2[]));
FMPL_MPI_CALL(int, MPI_Group_compare, (MPI_Group group1, MPI_Group group2, int *result));
FMPL_MPI_CALL(int, MPI_Comm_group, (MPI_Comm comm, MPI_Group *group));
FMPL_MPI_CALL(int, MPI_Group_union, (MPI_Group group1, MPI_Group group2, MPI_Group *newgroup));
FMPL_MPI_CALL(int, MPI_Group_intersection, (MPI_Group group1, MPI_Group group2, MPI_Group *newgroup));
FMPL_MPI_CALL(int, MPI_Group_difference, (MPI_Group group1, MPI_Group group2, MPI_Group *newgroup));
FMPL_MPI_CALL(int, MPI_Group_incl, (MPI_Group group, int n, const int ranks[], MPI_Group *newgroup));
FMPL_MPI_CALL(int, MPI_Group_excl, (MPI_Group group, int n, const int ranks[], MPI_Group *newgroup));
FMPL_MPI_CALL(int, MPI_Group_range_incl, (MPI_Group group, int n, int ranges[][3], MPI_Group *newgroup));
FMPL_MPI_CALL(int, MPI_Group_range_excl, (MPI_Group group, int n, int ranges[][3], MPI_Group *newgroup));
FMPL_MPI_CALL(int, MPI_Group_free, (MPI_Group * group));

/* 6.4 Communicators */
FMPL_MPI_CALL(int, MPI_Comm_size, (MPI_Comm comm, int *size));
FMPL_MPI_CALL(int, MPI_Comm_rank, (MPI_Comm comm, int *rank));
FMPL_MPI_CALL(int, MPI_Comm_compare, (MPI_Comm comm1, MPI_Comm comm2, int *result));
FMPL_MPI_CALL(int, MPI_Comm_dup, (MPI_Comm comm, MPI_Comm *newcomm));
FMPL_MPI_CALL(int, MPI_Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm));
FMPL_MPI_CALL(int, MPI_Comm_idup, (MPI_Comm comm, MPI_Comm *newcomm, MPI_Request *request));
FMPL_MPI_CALL(int, MPI_Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm *newcomm));
FMPL_MPI_CALL(int, MPI_Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *newcomm));
FMPL_MPI_CALL(int, MPI_Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm *newcomm));
FMPL_MPI_CALL(int, MPI_Comm_split_type, (MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm *newcomm));
FMPL_MPI_CALL(int, MPI_Comm_free, (MPI_Comm * comm));
FMPL_MPI_CALL(int, MPI_Comm_set_info, (MPI_Comm comm, MPI_Info info));
FMPL_MPI_CALL(int, MPI_Comm_get_info, (MPI_Comm comm, MPI_Info *info_used));

/* 6.6 Intercommunicators */
FMPL_MPI_CALL(int, MPI_Comm_test_inter, (MPI_Comm comm, int *flag));
FMPL_MPI_CALL(int, MPI_Comm_remote_size, (MPI_Comm comm, int *size));
FMPL_MPI_CALL(int, MPI_Comm_remote_group, (MPI_Comm comm, MPI_Group *group));
FMPL_MPI_CALL(int, MPI_Intercomm_create,
              (MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm, int remote_leader, int tag,
               MPI_Comm *newintercomm));
FMPL_MPI_CALL(int, MPI_Intercomm_merge, (MPI_Comm intercomm, int high, MPI_Comm *newintracomm));

/* 6.7, 6.8 Caching and names */
FMPL_MPI_CALL(int, MPI_Comm_create_keyval,
              (MPI_Comm_copy_attr_function * copy_fn, MPI_Comm_delete_attr_function *delete_fn, int *keyval,
               void *extra_state));
FMPL_MPI_CALL(int, MPI_Comm_free_keyval, (int *keyval));
FMPL_MPI_CALL(int, MPI_Comm_set_attr, (MPI_Comm comm, int keyval, void *attribute_val));
FMPL_MPI_CALL(int, MPI_Comm_get_attr, (MPI_Comm comm, int keyval, void *attribute_val, int *flag));
FMPL_MPI_CALL(int, MPI_Comm_delete_attr, (MPI_Comm comm, int keyval));
FMPL_MPI_CALL(int, MPI_Type_create_keyval,
              (MPI_Type_copy_attr_function * copy_fn, MPI_Type_delete_attr_function *delete_fn, int *keyval,
               void *extra_state));
FMPL_MPI_CALL(int, MPI_Type_free_keyval, (int *keyval));
FMPL_MPI_CALL(int, MPI_Type_set_attr, (MPI_Datatype datatype, int keyval, void *attribute_val));
FMPL_MPI_CALL(int, MPI_Type_get_attr, (MPI_Datatype datatype, int keyval, void *attribute_val, int *flag));
FMPL_MPI_CALL(int, MPI_Type_delete_attr, (MPI_Datatype datatype, int keyval));
FMPL_MPI_CALL(int, MPI_Win_create_keyval,
              (MPI_Win_copy_attr_function * copy_fn, MPI_Win_delete_attr_function *delete_fn, int *keyval,
               void *extra_state));
FMPL_MPI_CALL(int, MPI_Win_free_keyval, (int *keyval));
FMPL_MPI_CALL(int, MPI_Win_set_attr, (MPI_Win win, int keyval, void *attribute_val));
FMPL_MPI_CALL(int, MPI_Win_get_attr, (MPI_Win win, int keyval, void *attribute_val, int *flag));
FMPL_MPI_CALL(int, MPI_Win_delete_attr, (MPI_Win win, int keyval));
FMPL_MPI_CALL(int, MPI_Comm_set_name, (MPI_Comm comm, const char *comm_name));
FMPL_MPI_CALL(int, MPI_Comm_get_name, (MPI_Comm comm, char *comm_name, int *resultlen));
FMPL_MPI_CALL(int, MPI_Type_set_name, (MPI_Datatype datatype, const char *type_name));
FMPL_MPI_CALL(int, MPI_Type_get_name, (MPI_Datatype datatype, char *type_name, int *resultlen));
FMPL_MPI_CALL(int, MPI_Win_set_name, (MPI_Win win, const char *win_name));
FMPL_MPI_CALL(int, MPI_Win_get_name, (MPI_Win win, char *win_name, int *resultlen));

/* ---- 7 Process topologies ---- */

/* 7.5 Construct and ask */
FMPL_MPI_CALL(int, MPI_Cart_create,
              (MPI_Comm comm_old, int ndims, const int dims[], const int periods[], int reorder, MPI_Comm *comm_cart));
FMPL_MPI_CALL(int, MPI_Dims_create, (int nnodes, int ndims, int dims[]));
FMPL_MPI_CALL(int, MPI_Graph_create,
              (MPI_Comm comm_old, int nnodes, const int index[], const int edges[], int reorder, MPI_Comm *comm_graph));
FMPL_MPI_CALL(int, MPI_Dist_graph_create_adjacent,
              (MPI_Comm comm_old, int indegree, const int sources[], const int sourceweights[], int outdegree,
               const int destinations[], const int destweights[], MPI_Info info, int reorder,
               MPI_Comm *comm_dist_graph));
FMPL_MPI_CALL(int, MPI_Dist_graph_create,
              (MPI_Comm comm_old, int n, const int sources[], const int degrees[], const int destinations[],
               const int weights[], MPI_Info info, int reorder, MPI_Comm *comm_dist_graph));
FMPL_MPI_CALL(int, MPI_Topo_test, (MPI_Comm comm, int *status));
FMPL_MPI_CALL(int, MPI_Graphdims_get, (MPI_Comm comm, int *nnodes, int *nedges));
FMPL_MPI_CALL(int, MPI_Graph_get, (MPI_Comm comm, int maxindex, int maxedges, int index[], int edges[]));
FMPL_MPI_CALL(int, MPI_Cartdim_get, (MPI_Comm comm, int *ndims));
FMPL_MPI_CALL(int, MPI_Cart_get, (MPI_Comm comm, int maxdims, int dims[], int periods[], int coords[]));
FMPL_MPI_CALL(int, MPI_Cart_rank, (MPI_Comm comm, const int coords[], int *rank));
FMPL_MPI_CALL(int, MPI_Cart_coords, (MPI_Comm comm, int rank, int maxdims, int coords[]));
FMPL_MPI_CALL(int, MPI_Graph_neighbors_count, (MPI_Comm comm, int rank, int *nneighbors));
FMPL_MPI_CALL(int, MPI_Graph_neighbors, (MPI_Comm comm, int rank, int maxneighbors, int neighbors[]));
FMPL_MPI_CALL(int, MPI_Dist_graph_neighbors_count, (MPI_Comm comm, int *indegree, int *outdegree, int *weighted));
FMPL_MPI_CALL(int, MPI_Dist_graph_neighbors,
              (MPI_Comm comm, int maxindegree, int sources[], int sourceweights[], int maxoutdegree, int destinations[],
               int destweights[]));
FMPL_MPI_CALL(int, MPI_Cart_shift, (MPI_Comm comm, int direction, int disp, int *rank_source, int *rank_dest));
FMPL_MPI_CALL(int, MPI_Cart_sub, (MPI_Comm comm, const int remain_dims[], MPI_Comm *newcomm));
FMPL_MPI_CALL(int, MPI_Cart_map, (MPI_Comm comm, int ndims, const int dims[], const int periods[], int *newrank));
FMPL_MPI_CALL(int, MPI_Graph_map, (MPI_Comm comm, int nnodes, const int index[], const int edges[], int *newrank));

/* 7.6, 7.7 Communication with neighbours */
FMPL_MPI_CALL(int, MPI_Neighbor_allgather,
              (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
               MPI_Datatype recvtype, MPI_Comm comm));
FMPL_MPI_CALL(int, MPI_Neighbor_allgatherv,
              (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
               const int displs[], MPI_Datatype recvtype, MPI_Comm comm));
FMPL_MPI_CALL(int, MPI_Neighbor_alltoall,
              (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
               MPI_Datatype recvtype, MPI_Comm comm));
FMPL_MPI_CALL(int, MPI_Neighbor_alltoallv,
              (const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void *recvbuf,
               const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm));
FMPL_MPI_CALL(int, MPI_Neighbor_alltoallw,
              (const void *sendbuf, const int sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
               void *recvbuf, const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
               MPI_Comm comm));
FMPL_MPI_CALL(int, MPI_Ineighbor_allgather,
              (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
               MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request));
FMPL_MPI_CALL(int, MPI_Ineighbor_allgatherv,
              (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
               const int displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request));
FMPL_MPI_CALL(int, MPI_Ineighbor_alltoall,
              (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
               MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request));
FMPL_MPI_CALL(int, MPI_Ineighbor_alltoallv,
              (const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void *recvbuf,
               const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
               MPI_Request *request));
FMPL_MPI_CALL(int, MPI_Ineighbor_alltoallw,
              (const void *sendbuf, const int sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
               void *recvbuf, const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
               MPI_Comm comm, MPI_Request *request));

/* ---- 8 Environment ---- */

/* 8.1, 8.2 Version, host, memory */
FMPL_MPI_CALL(int, MPI_Get_version, (int *version, int *subversion));
FMPL_MPI_CALL(int, MPI_Get_library_version, (char *version, int *resultlen));
FMPL_MPI_CALL(int, MPI_Get_processor_name, (char *name, int *resultlen));
FMPL_MPI_CALL(int, MPI_Alloc_mem, (MPI_Aint size, MPI_Info info, void *baseptr));
FMPL_MPI_CALL(int, MPI_Free_mem, (void *base));

/* 8.3 to 8.5 Error handlers, error classes and codes */
FMPL_MPI_CALL(int, MPI_Comm_create_errhandler,
              (MPI_Comm_errhandler_function * errhandler_fn, MPI_Errhandler *errhandler));
FMPL_MPI_CALL(int, MPI_Comm_set_errhandler, (MPI_Comm comm, MPI_Errhandler errhandler));
FMPL_MPI_CALL(int, MPI_Comm_get_errhandler, (MPI_Comm comm, MPI_Errhandler *errhandler));
FMPL_MPI_CALL(int, MPI_Comm_call_errhandler, (MPI_Comm comm, int errorcode));
FMPL_MPI_CALL(int, MPI_Win_create_errhandler,
              (MPI_Win_errhandler_function * errhandler_fn, MPI_Errhandler *errhandler));
FMPL_MPI_CALL(int, MPI_Win_set_errhandler, (MPI_Win win, MPI_Errhandler errhandler));
FMPL_MPI_CALL(int, MPI_Win_get_errhandler, (MPI_Win win, MPI_Errhandler *errhandler));
FMPL_MPI_CALL(int, MPI_Win_call_errhandler, (MPI_Win win, int errorcode));
FMPL_MPI_CALL(int, MPI_File_create_errhandler,
              (MPI_File_errhandler_function * errhandler_fn, MPI_Errhandler *errhandler));
FMPL_MPI_CALL(int, MPI_File_set_errhandler, (MPI_File fh, MPI_Errhandler errhandler));
FMPL_MPI_CALL(int, MPI_File_get_errhandler, (MPI_File fh, MPI_Errhandler *errhandler));
FMPL_MPI_CALL(int, MPI_File_call_errhandler, (MPI_File fh, int errorcode));
FMPL_MPI_CALL(int, MPI_Errhandler_free, (MPI_Errhandler * errhandler));
FMPL_MPI_CALL(int, MPI_Error_string, (int errorcode, char *string, int *resultlen));
FMPL_MPI_CALL(int, MPI_Error_class, (int errorcode, int *errorclass));
FMPL_MPI_CALL(int, MPI_Add_error_class, (int *errorclass));
FMPL_MPI_CALL(int, MPI_Add_error_code, (int errorclass, int *errorcode));
FMPL_MPI_CALL(int, MPI_Add_error_string, (int errorcode, const char *string));

/* 8.6, 8.7 Time, start and end */
FMPL_MPI_CALL(double, MPI_Wtime, (void));
FMPL_MPI_CALL(double, MPI_Wtick, (void));
FMPL_MPI_CALL(int, MPI_Init, (int *argc, char ***argv));
FMPL_MPI_CALL(int, MPI_Finalize, (void));
FMPL_MPI_CALL(int, MPI_Initialized, (int *flag));
FMPL_MPI_CALL(int, MPI_Finalized, (int *flag));
FMPL_MPI_CALL(int, MPI_Abort, (MPI_Comm comm, int errorcode));

/* ---- 9 Info objects ---- */

FMPL_MPI_CALL(int, MPI_Info_create, (MPI_Info * info));
FMPL_MPI_CALL(int, MPI_Info_set, (MPI_Info info, const char *key, const char *value));
FMPL_MPI_CALL(int, MPI_Info_delete, (MPI_Info info, const char *key));
FMPL_MPI_CALL(int, MPI_Info_get, (MPI_Info info, const char *key, int valuelen, char *value, int *flag));
FMPL_MPI_CALL(int, MPI_Info_get_valuelen, (MPI_Info info, const char *key, int *valuelen, int *flag));
FMPL_MPI_CALL(int, MPI_Info_get_nkeys, (MPI_Info info, int *nkeys));
FMPL_MPI_CALL(int, MPI_Info_get_nthkey, (MPI_Info info, int n, char *key));
FMPL_MPI_CALL(int, MPI_Info_dup, (MPI_Info info, MPI_Info *newinfo));
FMPL_MPI_CALL(int, MPI_Info_free, (MPI_Info * info));

/* ---- 10 Processes: to start them, and to connect with those that were not started together ---- */

FMPL_MPI_CALL(int, MPI_Comm_spawn,
              (const char *command, char *argv[], int maxprocs, MPI_Info info, int root, MPI_Comm comm,
               MPI_Comm *intercomm, int errcodes[]));
FMPL_MPI_CALL(int, MPI_Comm_spawn_multiple,
              (int count, char *commands[], char **argvs[], const int maxprocs[], const MPI_Info infos[], int root,
               MPI_Comm comm, MPI_Comm *intercomm, int errcodes[]));
FMPL_MPI_CALL(int, MPI_Comm_get_parent, (MPI_Comm * parent));
FMPL_MPI_CALL(int, MPI_Open_port, (MPI_Info info, char *port_name));
FMPL_MPI_CALL(int, MPI_Close_port, (const char *port_name));
FMPL_MPI_CALL(int, MPI_Comm_accept, (const char *port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *newcomm));
FMPL_MPI_CALL(int, MPI_Comm_connect,
              (const char *port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *newcomm));
FMPL_MPI_CALL(int, MPI_Publish_name, (const char *service_name, MPI_Info info, const char *port_name));
FMPL_MPI_CALL(int, MPI_Unpublish_name, (const char *service_name, MPI_Info info, const char *port_name));
FMPL_MPI_CALL(int, MPI_Lookup_name, (const char *service_name, MPI_Info info, char *port_name));
FMPL_MPI_CALL(int, MPI_Comm_disconnect, (MPI_Comm * comm));
FMPL_MPI_CALL(int, MPI_Comm_join, (int fd, MPI_Comm *intercomm));

/* ---- 11 One-sided communication ---- */

/* 11.2 Windows */
FMPL_MPI_CALL(int, MPI_Win_create,
              (void *base, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win *win));
FMPL_MPI_CALL(int, MPI_Win_allocate,
              (MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win));
FMPL_MPI_CALL(int, MPI_Win_allocate_shared,
              (MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win));
FMPL_MPI_CALL(int, MPI_Win_shared_query, (MPI_Win win, int rank, MPI_Aint *size, int *disp_unit, void *baseptr));
FMPL_MPI_CALL(int, MPI_Win_create_dynamic, (MPI_Info info, MPI_Comm comm, MPI_Win *win));
FMPL_MPI_CALL(int, MPI_Win_attach, (MPI_Win win, void *base, MPI_Aint size));
FMPL_MPI_CALL(int, MPI_Win_detach, (MPI_Win win, const void *base));
FMPL_MPI_CALL(int, MPI_Win_free, (MPI_Win * win));
FMPL_MPI_CALL(int, MPI_Win_get_group, (MPI_Win win, MPI_Group *group));
FMPL_MPI_CALL(int, MPI_Win_set_info, (MPI_Win win, MPI_Info info));
FMPL_MPI_CALL(int, MPI_Win_get_info, (MPI_Win win, MPI_Info *info_used));

/* 11.3 Calls that communicate */
FMPL_MPI_CALL(int, MPI_Put,
              (const void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
               MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win));
FMPL_MPI_CALL(int, MPI_Get,
              (void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
               int target_count, MPI_Datatype target_datatype, MPI_Win win));
FMPL_MPI_CALL(int, MPI_Accumulate,
              (const void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
               MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win));
FMPL_MPI_CALL(int, MPI_Get_accumulate,
              (const void *origin_addr, int origin_count, MPI_Datatype origin_datatype, void *result_addr,
               int result_count, MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp, int target_count,
               MPI_Datatype target_datatype, MPI_Op op, MPI_Win win));
FMPL_MPI_CALL(int, MPI_Fetch_and_op,
              (const void *origin_addr, void *result_addr, MPI_Datatype datatype, int target_rank, MPI_Aint target_disp,
               MPI_Op op, MPI_Win win));
FMPL_MPI_CALL(int, MPI_Compare_and_swap,
              (const void *origin_addr, const void *compare_addr, void *result_addr, MPI_Datatype datatype,
               int target_rank, MPI_Aint target_disp, MPI_Win win));
FMPL_MPI_CALL(int, MPI_Rput,
              (const void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
               MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win,
               MPI_Request *request));
FMPL_MPI_CALL(int, MPI_Rget,
              (void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
               int target_count, MPI_Datatype target_datatype, MPI_Win win, MPI_Request *request));
FMPL_MPI_CALL(int, MPI_Raccumulate,
              (const void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
               MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win,
               MPI_Request *request));
FMPL_MPI_CALL(int, MPI_Rget_accumulate,
              (const void *origin_addr, int origin_count, MPI_Datatype origin_datatype, void *result_addr,
               int result_count, MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp, int target_count,
               MPI_Datatype target_datatype, MPI_Op op, MPI_Win win, MPI_Request *request));

/* 11.5 Synchronization */
FMPL_MPI_CALL(int, MPI_Win_fence, (int assertion, MPI_Win win));
FMPL_MPI_CALL(int, MPI_Win_start, (MPI_Group group, int assertion, MPI_Win win));
FMPL_MPI_CALL(int, MPI_Win_complete, (MPI_Win win));
FMPL_MPI_CALL(int, MPI_Win_post, (MPI_Group group, int assertion, MPI_Win win));
FMPL_MPI_CALL(int, MPI_Win_wait, (MPI_Win win));
FMPL_MPI_CALL(int, MPI_Win_test, (MPI_Win win, int *flag));
FMPL_MPI_CALL(int, MPI_Win_lock, (int lock_type, int rank, int assertion, MPI_Win win));
FMPL_MPI_CALL(int, MPI_Win_lock_all, (int assertion, MPI_Win win));
FMPL_MPI_CALL(int, MPI_Win_unlock, (int rank, MPI_Win win));
FMPL_MPI_CALL(int, MPI_Win_unlock_all, (MPI_Win win));
FMPL_MPI_CALL(int, MPI_Win_flush, (int rank, MPI_Win win));
FMPL_MPI_CALL(int, MPI_Win_flush_all, (MPI_Win win));
FMPL_MPI_CALL(int, MPI_Win_flush_local, (int rank, MPI_Win win));
FMPL_MPI_CALL(int, MPI_Win_flush_local_all, (MPI_Win win));
FMPL_MPI_CALL(int, MPI_Win_sync, (MPI_Win win));

/* ---- 12 External interfaces ---- */

/* 12.2, 12.3 Generalized requests, and the status they answer */
FMPL_MPI_CALL(int, MPI_Grequest_start,
              (MPI_Grequest_query_function * query_fn, MPI_Grequest_free_function *free_fn,
               MPI_Grequest_cancel_function *cancel_fn, void *extra_state, MPI_Request *request));
FMPL_MPI_CALL(int, MPI_Grequest_complete, (MPI_Request request));
FMPL_MPI_CALL(int, MPI_Status_set_elements, (MPI_Status * status, MPI_Datatype datatype, int count));
FMPL_MPI_CALL(int, MPI_Status_set_elements_x, (MPI_Status * status, MPI_Datatype datatype, MPI_Count count));
FMPL_MPI_CALL(int, MPI_Status_set_cancelled, (MPI_Status * status, int flag));

/* 12.4 Threads */
FMPL_MPI_CALL(int, MPI_Init_thread, (int *argc, char ***argv, int required, int *provided));
FMPL_MPI_CALL(int, MPI_Query_thread, (int *provided));
FMPL_MPI_CALL(int, MPI_Is_thread_main, (int *flag));

/* ---- 13 Files ---- */

/* 13.2, 13.3 Open, describe, view */
FMPL_MPI_CALL(int, MPI_File_open, (MPI_Comm comm, const char *filename, int amode, MPI_Info info, MPI_File *fh));
FMPL_MPI_CALL(int, MPI_File_close, (MPI_File * fh));
FMPL_MPI_CALL(int, MPI_File_delete, (const char *filename, MPI_Info info));
FMPL_MPI_CALL(int, MPI_File_set_size, (MPI_File fh, MPI_Offset size));
FMPL_MPI_CALL(int, MPI_File_preallocate, (MPI_File fh, MPI_Offset size));
FMPL_MPI_CALL(int, MPI_File_get_size, (MPI_File fh, MPI_Offset *size));
FMPL_MPI_CALL(int, MPI_File_get_group, (MPI_File fh, MPI_Group *group));
FMPL_MPI_CALL(int, MPI_File_get_amode, (MPI_File fh, int *amode));
FMPL_MPI_CALL(int, MPI_File_set_info, (MPI_File fh, MPI_Info info));
FMPL_MPI_CALL(int, MPI_File_get_info, (MPI_File fh, MPI_Info *info_used));
FMPL_MPI_CALL(int, MPI_File_set_view,
              (MPI_File fh, MPI_Offset disp, MPI_Datatype etype, MPI_Datatype filetype, const char *datarep,
               MPI_Info info));
FMPL_MPI_CALL(int, MPI_File_get_view,
              (MPI_File fh, MPI_Offset *disp, MPI_Datatype *etype, MPI_Datatype *filetype, char *datarep));

/* 13.4.2 to 13.4.4 Read and write: at an explicit offset, by the individual file pointer, by the shared one */
FMPL_MPI_CALL(int, MPI_File_read_at,
              (MPI_File fh, MPI_Offset offset, void *buf, int count, MPI_Datatype datatype, MPI_Status *status));
FMPL_MPI_CALL(int, MPI_File_write_at,
              (MPI_File fh, MPI_Offset offset, const void *buf, int count, MPI_Datatype datatype, MPI_Status *status));
FMPL_MPI_CALL(int, MPI_File_read_at_all,
              (MPI_File fh, MPI_Offset offset, void *buf, int count, MPI_Datatype datatype, MPI_Status *status));
FMPL_MPI_CALL(int, MPI_File_write_at_all,
              (MPI_File fh, MPI_Offset offset, const void *buf, int count, MPI_Datatype datatype, MPI_Status *status));
FMPL_MPI_CALL(int, MPI_File_iread_at,
              (MPI_File fh, MPI_Offset offset, void *buf, int count, MPI_Datatype datatype, MPI_Request *request));
FMPL_MPI_CALL(int, MPI_File_iwrite_at,
              (MPI_File fh, MPI_Offset offset, const void *buf, int count, MPI_Datatype datatype,
               MPI_Request *request));
FMPL_MPI_CALL(int, MPI_File_iread_at_all,
              (MPI_File fh, MPI_Offset offset, void *buf, int count, MPI_Datatype datatype, MPI_Request *request));
FMPL_MPI_CALL(int, MPI_File_iwrite_at_all,
              (MPI_File fh, MPI_Offset offset, const void *buf, int count, MPI_Datatype datatype,
               MPI_Request *request));
FMPL_MPI_CALL(int, MPI_File_read, (MPI_File fh, void *buf, int count, MPI_Datatype datatype, MPI_Status *status));
FMPL_MPI_CALL(int, MPI_File_write,
              (MPI_File fh, const void *buf, int count, MPI_Datatype datatype, MPI_Status *status));
FMPL_MPI_CALL(int, MPI_File_read_all, (MPI_File fh, void *buf, int count, MPI_Datatype datatype, MPI_Status *status));
FMPL_MPI_CALL(int, MPI_File_write_all,
              (MPI_File fh, const void *buf, int count, MPI_Datatype datatype, MPI_Status *status));
FMPL_MPI_CALL(int, MPI_File_iread, (MPI_File fh, void *buf, int count, MPI_Datatype datatype, MPI_Request *request));
FMPL_MPI_CALL(int, MPI_File_iwrite,
              (MPI_File fh, const void *buf, int count, MPI_Datatype datatype, MPI_Request *request));
FMPL_MPI_CALL(int, MPI_File_iread_all,
              (MPI_File fh, void *buf, int count, MPI_Datatype datatype, MPI_Request *request));
FMPL_MPI_CALL(int, MPI_File_iwrite_all,
              (MPI_File fh, const void *buf, int count, MPI_Datatype datatype, MPI_Request *request));
FMPL_MPI_CALL(int, MPI_File_seek, (MPI_File fh, MPI_Offset offset, int whence));
FMPL_MPI_CALL(int, MPI_File_get_position, (MPI_File fh, MPI_Offset *offset));
FMPL_MPI_CALL(int, MPI_File_get_byte_offset, (MPI_File fh, MPI_Offset offset, MPI_Offset *disp));
FMPL_MPI_CALL(int, MPI_File_read_shared,
              (MPI_File fh, void *buf, int count, MPI_Datatype datatype, MPI_Status *status));
FMPL_MPI_CALL(int, MPI_File_write_shared,
              (MPI_File fh, const void *buf, int count, MPI_Datatype datatype, MPI_Status *status));
FMPL_MPI_CALL(int, MPI_File_iread_shared,
              (MPI_File fh, void *buf, int count, MPI_Datatype datatype, MPI_Request *request));
FMPL_MPI_CALL(int, MPI_File_iwrite_shared,
              (MPI_File fh, const void *buf, int count, MPI_Datatype datatype, MPI_Request *request));
FMPL_MPI_CALL(int, MPI_File_read_ordered,
              (MPI_File fh, void *buf, int count, MPI_Datatype datatype, MPI_Status *status));
FMPL_MPI_CALL(int, MPI_File_write_ordered,
              (MPI_File fh, const void *buf, int count, MPI_Datatype datatype, MPI_Status *status));
FMPL_MPI_CALL(int, MPI_File_seek_shared, (MPI_File fh, MPI_Offset offset, int whence));
FMPL_MPI_CALL(int, MPI_File_get_position_shared, (MPI_File fh, MPI_Offset *offset));

/* 13.4.5 Collective calls in two halves */
FMPL_MPI_CALL(int, MPI_File_read_at_all_begin,
              (MPI_File fh, MPI_Offset offset, void *buf, int count, MPI_Datatype datatype));
FMPL_MPI_CALL(int, MPI_File_read_at_all_end, (MPI_File fh, void *buf, MPI_Status *status));
FMPL_MPI_CALL(int, MPI_File_write_at_all_begin,
              (MPI_File fh, MPI_Offset offset, const void *buf, int count, MPI_Datatype datatype));
FMPL_MPI_CALL(int, MPI_File_write_at_all_end, (MPI_File fh, const void *buf, MPI_Status *status));
FMPL_MPI_CALL(int, MPI_File_read_all_begin, (MPI_File fh, void *buf, int count, MPI_Datatype datatype));
FMPL_MPI_CALL(int, MPI_File_read_all_end, (MPI_File fh, void *buf, MPI_Status *status));
FMPL_MPI_CALL(int, MPI_File_write_all_begin, (MPI_File fh, const void *buf, int count, MPI_Datatype datatype));
FMPL_MPI_CALL(int, MPI_File_write_all_end, (MPI_File fh, const void *buf, MPI_Status *status));
FMPL_MPI_CALL(int, MPI_File_read_ordered_begin, (MPI_File fh, void *buf, int count, MPI_Datatype datatype));
FMPL_MPI_CALL(int, MPI_File_read_ordered_end, (MPI_File fh, void *buf, MPI_Status *status));
FMPL_MPI_CALL(int, MPI_File_write_ordered_begin, (MPI_File fh, const void *buf, int count, MPI_Datatype datatype));
FMPL_MPI_CALL(int, MPI_File_write_ordered_end, (MPI_File fh, const void *buf, MPI_Status *status));

/* 13.5, 13.6 Data representations, consistency */
FMPL_MPI_CALL(int, MPI_File_get_type_extent, (MPI_File fh, MPI_Datatype datatype, MPI_Aint *extent));
FMPL_MPI_CALL(int, MPI_Register_datarep,
              (const char *datarep, MPI_Datarep_conversion_function *read_conversion_fn,
               MPI_Datarep_conversion_function *write_conversion_fn, MPI_Datarep_extent_function *extent_fn,
               void *extra_state));
FMPL_MPI_CALL(int, MPI_File_set_atomicity, (MPI_File fh, int flag));
FMPL_MPI_CALL(int, MPI_File_get_atomicity, (MPI_File fh, int *flag));
FMPL_MPI_CALL(int, MPI_File_sync, (MPI_File fh));

/* ---- 14 Profiling, the tools interface ---- */

/* 14.2 Profiling */
FMPL_MPI_CALL(int, MPI_Pcontrol, (const int level, ...));

/* 14.3.3 to 14.3.5 Start and end, enumerations */
FMPL_MPI_CALL(int, MPI_T_init_thread, (int required, int *provided));
FMPL_MPI_CALL(int, MPI_T_finalize, (void));
FMPL_MPI_CALL(int, MPI_T_enum_get_info, (MPI_T_enum enumtype, int *num, char *name, int *name_len));
FMPL_MPI_CALL(int, MPI_T_enum_get_item, (MPI_T_enum enumtype, int index, int *value, char *name, int *name_len));

/* 14.3.6 Control variables */
FMPL_MPI_CALL(int, MPI_T_cvar_get_num, (int *num_cvar));
FMPL_MPI_CALL(int, MPI_T_cvar_get_info,
              (int cvar_index, char *name, int *name_len, int *verbosity, MPI_Datatype *datatype, MPI_T_enum *enumtype,
               char *desc, int *desc_len, int *binding, int *scope));
FMPL_MPI_CALL(int, MPI_T_cvar_get_index, (const char *name, int *cvar_index));
FMPL_MPI_CALL(int, MPI_T_cvar_handle_alloc, (int cvar_index, void *obj_handle, MPI_T_cvar_handle *handle, int *count));
FMPL_MPI_CALL(int, MPI_T_cvar_handle_free, (MPI_T_cvar_handle * handle));
FMPL_MPI_CALL(int, MPI_T_cvar_read, (MPI_T_cvar_handle handle, void *buf));
FMPL_MPI_CALL(int, MPI_T_cvar_write, (MPI_T_cvar_handle handle, const void *buf));

/* 14.3.7 Performance variables */
FMPL_MPI_CALL(int, MPI_T_pvar_get_num, (int *num_pvar));
FMPL_MPI_CALL(int, MPI_T_pvar_get_info,
              (int pvar_index, char *name, int *name_len, int *verbosity, int *var_class, MPI_Datatype *datatype,
               MPI_T_enum *enumtype, char *desc, int *desc_len, int *binding, int *readonly, int *continuous,
               int *atomic));
FMPL_MPI_CALL(int, MPI_T_pvar_get_index, (const char *name, int var_class, int *pvar_index));
FMPL_MPI_CALL(int, MPI_T_pvar_session_create, (MPI_T_pvar_session * session));
FMPL_MPI_CALL(int, MPI_T_pvar_session_free, (MPI_T_pvar_session * session));
FMPL_MPI_CALL(int, MPI_T_pvar_handle_alloc,
              (MPI_T_pvar_session session, int pvar_index, void *obj_handle, MPI_T_pvar_handle *handle, int *count));
FMPL_MPI_CALL(int, MPI_T_pvar_handle_free, (MPI_T_pvar_session session, MPI_T_pvar_handle *handle));
FMPL_MPI_CALL(int, MPI_T_pvar_start, (MPI_T_pvar_session session, MPI_T_pvar_handle handle));
FMPL_MPI_CALL(int, MPI_T_pvar_stop, (MPI_T_pvar_session session, MPI_T_pvar_handle handle));
FMPL_MPI_CALL(int, MPI_T_pvar_read, (MPI_T_pvar_session session, MPI_T_pvar_handle handle, void *buf));
FMPL_MPI_CALL(int, MPI_T_pvar_write, (MPI_T_pvar_session session, MPI_T_pvar_handle handle, const void *buf));
FMPL_MPI_CALL(int, MPI_T_pvar_reset, (MPI_T_pvar_session session, MPI_T_pvar_handle handle));
FMPL_MPI_CALL(int, MPI_T_pvar_readreset, (MPI_T_pvar_session session, MPI_T_pvar_handle handle, void *buf));

/* 14.3.8 Categories */
FMPL_MPI_CALL(int, MPI_T_category_get_num, (int *num_cat));
FMPL_MPI_CALL(int, MPI_T_category_get_info,
              (int cat_index, char *name, int *name_len, char *desc, int *desc_len, int *num_cvars, int *num_pvars,
               int *num_categories));
FMPL_MPI_CALL(int, MPI_T_category_get_index, (const char *name, int *cat_index));
FMPL_MPI_CALL(int, MPI_T_category_get_cvars, (int cat_index, int len, int indices[]));
FMPL_MPI_CALL(int, MPI_T_category_get_pvars, (int cat_index, int len, int indices[]));
FMPL_MPI_CALL(int, MPI_T_category_get_categories, (int cat_index, int len, int indices[]));
FMPL_MPI_CALL(int, MPI_T_category_changed, (int *stamp));

/* ---- 15.1, 16.1 Deprecated and removed calls ---- */

FMPL_MPI_CALL(int, MPI_Keyval_create,
              (MPI_Copy_function * copy_fn, MPI_Delete_function *delete_fn, int *keyval, void *extra_state));
FMPL_MPI_CALL(int, MPI_Keyval_free, (int *keyval));
FMPL_MPI_CALL(int, MPI_Attr_put, (MPI_Comm comm, int keyval, void *attribute_val));
FMPL_MPI_CALL(int, MPI_Attr_get, (MPI_Comm comm, int keyval, void *attribute_val, int *flag));
FMPL_MPI_CALL(int, MPI_Attr_delete, (MPI_Comm comm, int keyval));
FMPL_MPI_CALL(int, MPI_Address, (void *location, MPI_Aint *address));
FMPL_MPI_CALL(int, MPI_Type_hvector,
              (int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype, MPI_Datatype *newtype));
FMPL_MPI_CALL(int, MPI_Type_hindexed,
              (int count, int blocklengths[], MPI_Aint displacements[], MPI_Datatype oldtype, MPI_Datatype *newtype));
FMPL_MPI_CALL(int, MPI_Type_struct,
              (int count, int blocklengths[], MPI_Aint displacements[], MPI_Datatype types[], MPI_Datatype *newtype));
FMPL_MPI_CALL(int, MPI_Type_extent, (MPI_Datatype datatype, MPI_Aint *extent));
FMPL_MPI_CALL(int, MPI_Type_lb, (MPI_Datatype datatype, MPI_Aint *displacement));
FMPL_MPI_CALL(int, MPI_Type_ub, (MPI_Datatype datatype, MPI_Aint *displacement));
FMPL_MPI_CALL(int, MPI_Errhandler_create, (MPI_Comm_errhandler_function * errhandler_fn, MPI_Errhandler *errhandler));
FMPL_MPI_CALL(int, MPI_Errhandler_set, (MPI_Comm comm, MPI_Errhandler errhandler));
FMPL_MPI_CALL(int, MPI_Errhandler_get, (MPI_Comm comm, MPI_Errhandler *errhandler));

/* ---- 17 Fortran and C together ---- */

/* 17.1.9 Fortran types by precision or size */
FMPL_MPI_CALL(int, MPI_Type_create_f90_real, (int p, int r, MPI_Datatype *newtype));
FMPL_MPI_CALL(int, MPI_Type_create_f90_complex, (int p, int r, MPI_Datatype *newtype));
FMPL_MPI_CALL(int, MPI_Type_create_f90_integer, (int r, MPI_Datatype *newtype));
FMPL_MPI_CALL(int, MPI_Type_match_size, (int typeclass, int size, MPI_Datatype *datatype));

/* 17.2.4 The handle of a file in C and in Fortran; for other handles see mpi.h */
FMPL_MPI_CALL(MPI_Fint, MPI_File_c2f, (MPI_File fh));
FMPL_MPI_CALL(MPI_File, MPI_File_f2c, (MPI_Fint fh));

/* 17.2.5 A status as an array of Fortran integers */
extern MPI_Fint *MPI_F_STATUS_IGNORE;
extern MPI_Fint *MPI_F_STATUSES_IGNORE;
FMPL_MPI_CALL(int, MPI_Status_c2f, (const MPI_Status *c_status, MPI_Fint *f_status));
FMPL_MPI_CALL(int, MPI_Status_f2c, (const MPI_Fint *f_status, MPI_Status *c_status));

#undef FMPL_MPI_CALL

#ifdef __cplusplus
}
#endif

#endif
