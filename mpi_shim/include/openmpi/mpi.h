/* MPI 3.1 over FMPL: the C interface, in the order of the standard's chapters.

   The binary interface (handles, constants, the layout of a status, prototypes) is that of Open MPI 4.1, so
   a program may be compiled with one and run with the other. The functions are in mpi_functions.h. There, and
   in the library, but not there yet in what they do, so that they fail with MPI_ERR_UNSUPPORTED_OPERATION: the
   calls of one-sided communication (chapter 11), of files (13), and of process creation (10) all but two.

   Left out of Open MPI's own: the C++ classes (MPI::Comm, removed in MPI-3), the extensions of mpi-ext.h. */
#ifndef FMPL_MPI_H
#define FMPL_MPI_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Tells this library from others: MPI_Get_library_version has the words. */
#define FMPL_MPI 1

/* What programs ask to know the interface: it is Open MPI's, of this version. */
#define OPEN_MPI             1
#define OMPI_MAJOR_VERSION   4
#define OMPI_MINOR_VERSION   1
#define OMPI_RELEASE_VERSION 4

#define MPI_VERSION    3
#define MPI_SUBVERSION 1

/* ---- 2.5 Handles, integers, the status ---- */

typedef struct ompi_communicator_t *MPI_Comm;
typedef struct ompi_datatype_t *MPI_Datatype;
typedef struct ompi_errhandler_t *MPI_Errhandler;
typedef struct ompi_group_t *MPI_Group;
typedef struct ompi_info_t *MPI_Info;
typedef struct ompi_message_t *MPI_Message;
typedef struct ompi_op_t *MPI_Op;
typedef struct ompi_request_t *MPI_Request;
typedef struct ompi_win_t *MPI_Win;
typedef struct ompi_file_t *MPI_File;

typedef ptrdiff_t MPI_Aint;
typedef long long MPI_Count;
typedef long long MPI_Offset;
typedef int MPI_Fint;

/* The last two fields belong to the library: ask MPI_Get_count, MPI_Get_elements, MPI_Test_cancelled. */
typedef struct ompi_status_public_t {
    int MPI_SOURCE;
    int MPI_TAG;
    int MPI_ERROR;
    int _cancelled;
    size_t _ucount;
} ompi_status_public_t, MPI_Status;

/* A predefined handle is the address of an object in the library, whose type is never completed. */
#ifdef __cplusplus
#define FMPL_MPI_OBJECT(type, object) (static_cast<type>(static_cast<void *>(&(object))))
#else
#define FMPL_MPI_OBJECT(type, object) ((type)((void *)&(object)))
#endif

extern struct ompi_predefined_communicator_t ompi_mpi_comm_null, ompi_mpi_comm_world, ompi_mpi_comm_self;
extern struct ompi_predefined_group_t ompi_mpi_group_null, ompi_mpi_group_empty;
extern struct ompi_predefined_info_t ompi_mpi_info_null, ompi_mpi_info_env;
extern struct ompi_predefined_request_t ompi_request_null;
extern struct ompi_predefined_message_t ompi_message_null, ompi_message_no_proc;
extern struct ompi_predefined_win_t ompi_mpi_win_null;
extern struct ompi_predefined_file_t ompi_mpi_file_null;

#define MPI_COMM_NULL       FMPL_MPI_OBJECT(MPI_Comm, ompi_mpi_comm_null)
#define MPI_GROUP_NULL      FMPL_MPI_OBJECT(MPI_Group, ompi_mpi_group_null)
#define MPI_DATATYPE_NULL   FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_datatype_null)
#define MPI_ERRHANDLER_NULL FMPL_MPI_OBJECT(MPI_Errhandler, ompi_mpi_errhandler_null)
#define MPI_OP_NULL         FMPL_MPI_OBJECT(MPI_Op, ompi_mpi_op_null)
#define MPI_INFO_NULL       FMPL_MPI_OBJECT(MPI_Info, ompi_mpi_info_null)
#define MPI_WIN_NULL        FMPL_MPI_OBJECT(MPI_Win, ompi_mpi_win_null)
#define MPI_REQUEST_NULL    FMPL_MPI_OBJECT(MPI_Request, ompi_request_null)
#define MPI_MESSAGE_NULL    FMPL_MPI_OBJECT(MPI_Message, ompi_message_null)
#define MPI_MESSAGE_NO_PROC FMPL_MPI_OBJECT(MPI_Message, ompi_message_no_proc)
#define MPI_FILE_NULL       FMPL_MPI_OBJECT(MPI_File, ompi_mpi_file_null)

#define MPI_COMM_WORLD  FMPL_MPI_OBJECT(MPI_Comm, ompi_mpi_comm_world)
#define MPI_COMM_SELF   FMPL_MPI_OBJECT(MPI_Comm, ompi_mpi_comm_self)
#define MPI_GROUP_EMPTY FMPL_MPI_OBJECT(MPI_Group, ompi_mpi_group_empty)
#define MPI_INFO_ENV    FMPL_MPI_OBJECT(MPI_Info, ompi_mpi_info_env)

#define MPI_BOTTOM          ((void *)0)
#define MPI_IN_PLACE        ((void *)1)
#define MPI_STATUS_IGNORE   ((MPI_Status *)0)
#define MPI_STATUSES_IGNORE ((MPI_Status *)0)
#define MPI_ERRCODES_IGNORE ((int *)0)
#define MPI_ARGV_NULL       ((char **)0)
#define MPI_ARGVS_NULL      ((char ***)0)

#define MPI_UNDEFINED  (-32766)
#define MPI_PROC_NULL  (-2)
#define MPI_ANY_SOURCE (-1)
#define MPI_ROOT       (-4)
#define MPI_ANY_TAG    (-1)

/* Lengths of texts, with the final zero. */
#define MPI_MAX_PROCESSOR_NAME         256
#define MPI_MAX_LIBRARY_VERSION_STRING 256
#define MPI_MAX_ERROR_STRING           256
#define MPI_MAX_OBJECT_NAME            64
#define MPI_MAX_INFO_KEY               36
#define MPI_MAX_INFO_VAL               256
#define MPI_MAX_PORT_NAME              1024
#define MPI_MAX_DATAREP_STRING         128

/* ---- 3.2.2, 4, 5.9.4, 17.1.9 Predefined data types ---- */

extern struct ompi_predefined_datatype_t ompi_mpi_datatype_null,
    ompi_mpi_char, ompi_mpi_signed_char, ompi_mpi_unsigned_char, ompi_mpi_wchar, ompi_mpi_short,
    ompi_mpi_unsigned_short, ompi_mpi_int, ompi_mpi_unsigned, ompi_mpi_long, ompi_mpi_unsigned_long,
    ompi_mpi_long_long_int, ompi_mpi_unsigned_long_long, ompi_mpi_float, ompi_mpi_double,
    ompi_mpi_long_double, ompi_mpi_int8_t, ompi_mpi_int16_t, ompi_mpi_int32_t, ompi_mpi_int64_t,
    ompi_mpi_uint8_t, ompi_mpi_uint16_t, ompi_mpi_uint32_t, ompi_mpi_uint64_t, ompi_mpi_c_bool,
    ompi_mpi_c_float_complex, ompi_mpi_c_double_complex, ompi_mpi_c_long_double_complex, ompi_mpi_aint,
    ompi_mpi_offset, ompi_mpi_count, ompi_mpi_byte, ompi_mpi_packed, ompi_mpi_cxx_bool, ompi_mpi_cxx_cplex,
    ompi_mpi_cxx_dblcplex, ompi_mpi_cxx_ldblcplex, ompi_mpi_character, ompi_mpi_integer, ompi_mpi_real,
    ompi_mpi_logical, ompi_mpi_dblprec, ompi_mpi_cplex, ompi_mpi_dblcplex, ompi_mpi_integer1,
    ompi_mpi_integer2, ompi_mpi_integer4, ompi_mpi_integer8, ompi_mpi_real4, ompi_mpi_real8,
    ompi_mpi_real16, ompi_mpi_complex8, ompi_mpi_complex16, ompi_mpi_complex32, ompi_mpi_logical1,
    ompi_mpi_logical2, ompi_mpi_logical4, ompi_mpi_logical8, ompi_mpi_2cplex, ompi_mpi_2dblcplex,
    ompi_mpi_float_int, ompi_mpi_double_int, ompi_mpi_long_int, ompi_mpi_short_int, ompi_mpi_longdbl_int,
    ompi_mpi_2int, ompi_mpi_2integer, ompi_mpi_2real, ompi_mpi_2dblprec, ompi_mpi_lb, ompi_mpi_ub;

/* C */
#define MPI_CHAR                  FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_char)
#define MPI_SIGNED_CHAR           FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_signed_char)
#define MPI_UNSIGNED_CHAR         FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_unsigned_char)
#define MPI_WCHAR                 FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_wchar)
#define MPI_SHORT                 FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_short)
#define MPI_UNSIGNED_SHORT        FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_unsigned_short)
#define MPI_INT                   FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_int)
#define MPI_UNSIGNED              FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_unsigned)
#define MPI_LONG                  FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_long)
#define MPI_UNSIGNED_LONG         FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_unsigned_long)
#define MPI_LONG_LONG_INT         FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_long_long_int)
#define MPI_LONG_LONG             MPI_LONG_LONG_INT
#define MPI_UNSIGNED_LONG_LONG    FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_unsigned_long_long)
#define MPI_FLOAT                 FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_float)
#define MPI_DOUBLE                FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_double)
#define MPI_LONG_DOUBLE           FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_long_double)
#define MPI_INT8_T                FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_int8_t)
#define MPI_INT16_T               FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_int16_t)
#define MPI_INT32_T               FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_int32_t)
#define MPI_INT64_T               FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_int64_t)
#define MPI_UINT8_T               FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_uint8_t)
#define MPI_UINT16_T              FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_uint16_t)
#define MPI_UINT32_T              FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_uint32_t)
#define MPI_UINT64_T              FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_uint64_t)
#define MPI_C_BOOL                FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_c_bool)
#define MPI_C_FLOAT_COMPLEX       FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_c_float_complex)
#define MPI_C_COMPLEX             MPI_C_FLOAT_COMPLEX
#define MPI_C_DOUBLE_COMPLEX      FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_c_double_complex)
#define MPI_C_LONG_DOUBLE_COMPLEX FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_c_long_double_complex)

/* MPI's own integers, bytes, packed data */
#define MPI_AINT   FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_aint)
#define MPI_OFFSET FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_offset)
#define MPI_COUNT  FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_count)
#define MPI_BYTE   FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_byte)
#define MPI_PACKED FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_packed)

/* C++ */
#define MPI_CXX_BOOL                FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_cxx_bool)
#define MPI_CXX_FLOAT_COMPLEX       FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_cxx_cplex)
#define MPI_CXX_DOUBLE_COMPLEX      FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_cxx_dblcplex)
#define MPI_CXX_LONG_DOUBLE_COMPLEX FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_cxx_ldblcplex)

/* Fortran */
#define MPI_CHARACTER        FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_character)
#define MPI_INTEGER          FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_integer)
#define MPI_REAL             FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_real)
#define MPI_LOGICAL          FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_logical)
#define MPI_DOUBLE_PRECISION FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_dblprec)
#define MPI_COMPLEX          FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_cplex)
#define MPI_DOUBLE_COMPLEX   FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_dblcplex)
#define MPI_INTEGER1         FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_integer1)
#define MPI_INTEGER2         FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_integer2)
#define MPI_INTEGER4         FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_integer4)
#define MPI_INTEGER8         FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_integer8)
#define MPI_REAL4            FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_real4)
#define MPI_REAL8            FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_real8)
#define MPI_REAL16           FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_real16)
#define MPI_COMPLEX8         FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_complex8)
#define MPI_COMPLEX16        FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_complex16)
#define MPI_COMPLEX32        FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_complex32)

/* Open MPI's own: logicals of other sizes, pairs of complex numbers, a second name */
#define MPI_LOGICAL1        FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_logical1)
#define MPI_LOGICAL2        FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_logical2)
#define MPI_LOGICAL4        FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_logical4)
#define MPI_LOGICAL8        FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_logical8)
#define MPI_2COMPLEX        FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_2cplex)
#define MPI_2DOUBLE_COMPLEX FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_2dblcplex)
#define MPI_CXX_COMPLEX     MPI_CXX_FLOAT_COMPLEX

/* Pairs of a value and its place, for MPI_MINLOC and MPI_MAXLOC */
#define MPI_FLOAT_INT         FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_float_int)
#define MPI_DOUBLE_INT        FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_double_int)
#define MPI_LONG_INT          FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_long_int)
#define MPI_SHORT_INT         FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_short_int)
#define MPI_LONG_DOUBLE_INT   FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_longdbl_int)
#define MPI_2INT              FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_2int)
#define MPI_2INTEGER          FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_2integer)
#define MPI_2REAL             FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_2real)
#define MPI_2DOUBLE_PRECISION FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_2dblprec)

/* Markers of bounds, removed in MPI-3 (16.1) */
#define MPI_LB FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_lb)
#define MPI_UB FMPL_MPI_OBJECT(MPI_Datatype, ompi_mpi_ub)

/* ---- 4.1 What describes a derived data type ---- */

#define MPI_COMBINER_NAMED            0
#define MPI_COMBINER_DUP              1
#define MPI_COMBINER_CONTIGUOUS       2
#define MPI_COMBINER_VECTOR           3
#define MPI_COMBINER_HVECTOR_INTEGER  4
#define MPI_COMBINER_HVECTOR          5
#define MPI_COMBINER_INDEXED          6
#define MPI_COMBINER_HINDEXED_INTEGER 7
#define MPI_COMBINER_HINDEXED         8
#define MPI_COMBINER_INDEXED_BLOCK    9
#define MPI_COMBINER_STRUCT_INTEGER   10
#define MPI_COMBINER_STRUCT           11
#define MPI_COMBINER_SUBARRAY         12
#define MPI_COMBINER_DARRAY           13
#define MPI_COMBINER_F90_REAL         14
#define MPI_COMBINER_F90_COMPLEX      15
#define MPI_COMBINER_F90_INTEGER      16
#define MPI_COMBINER_RESIZED          17
#define MPI_COMBINER_HINDEXED_BLOCK   18

#define MPI_ORDER_C              0
#define MPI_ORDER_FORTRAN        1
#define MPI_DISTRIBUTE_BLOCK     0
#define MPI_DISTRIBUTE_CYCLIC    1
#define MPI_DISTRIBUTE_NONE      2
#define MPI_DISTRIBUTE_DFLT_DARG (-1)

#define MPI_TYPECLASS_REAL    2
#define MPI_TYPECLASS_INTEGER 1
#define MPI_TYPECLASS_COMPLEX 3

/* ---- 5.9 Predefined operations ---- */

extern struct ompi_predefined_op_t ompi_mpi_op_null, ompi_mpi_op_max, ompi_mpi_op_min, ompi_mpi_op_sum,
    ompi_mpi_op_prod, ompi_mpi_op_land, ompi_mpi_op_band, ompi_mpi_op_lor, ompi_mpi_op_bor, ompi_mpi_op_lxor,
    ompi_mpi_op_bxor, ompi_mpi_op_minloc, ompi_mpi_op_maxloc, ompi_mpi_op_replace, ompi_mpi_op_no_op;

#define MPI_MAX     FMPL_MPI_OBJECT(MPI_Op, ompi_mpi_op_max)
#define MPI_MIN     FMPL_MPI_OBJECT(MPI_Op, ompi_mpi_op_min)
#define MPI_SUM     FMPL_MPI_OBJECT(MPI_Op, ompi_mpi_op_sum)
#define MPI_PROD    FMPL_MPI_OBJECT(MPI_Op, ompi_mpi_op_prod)
#define MPI_LAND    FMPL_MPI_OBJECT(MPI_Op, ompi_mpi_op_land)
#define MPI_BAND    FMPL_MPI_OBJECT(MPI_Op, ompi_mpi_op_band)
#define MPI_LOR     FMPL_MPI_OBJECT(MPI_Op, ompi_mpi_op_lor)
#define MPI_BOR     FMPL_MPI_OBJECT(MPI_Op, ompi_mpi_op_bor)
#define MPI_LXOR    FMPL_MPI_OBJECT(MPI_Op, ompi_mpi_op_lxor)
#define MPI_BXOR    FMPL_MPI_OBJECT(MPI_Op, ompi_mpi_op_bxor)
#define MPI_MINLOC  FMPL_MPI_OBJECT(MPI_Op, ompi_mpi_op_minloc)
#define MPI_MAXLOC  FMPL_MPI_OBJECT(MPI_Op, ompi_mpi_op_maxloc)
#define MPI_REPLACE FMPL_MPI_OBJECT(MPI_Op, ompi_mpi_op_replace)
#define MPI_NO_OP   FMPL_MPI_OBJECT(MPI_Op, ompi_mpi_op_no_op)

/* ---- 6, 7, 8, 12 Groups, attributes, topologies, error handlers, thread levels ---- */

#define MPI_IDENT     0
#define MPI_CONGRUENT 1
#define MPI_SIMILAR   2
#define MPI_UNEQUAL   3

/* 6.4.2 How a communicator is split: Open MPI's kinds besides the standard's */
#define MPI_COMM_TYPE_SHARED    0
#define OMPI_COMM_TYPE_NODE     MPI_COMM_TYPE_SHARED
#define OMPI_COMM_TYPE_HWTHREAD 1
#define OMPI_COMM_TYPE_CORE     2
#define OMPI_COMM_TYPE_L1CACHE  3
#define OMPI_COMM_TYPE_L2CACHE  4
#define OMPI_COMM_TYPE_L3CACHE  5
#define OMPI_COMM_TYPE_SOCKET   6
#define OMPI_COMM_TYPE_NUMA     7
#define OMPI_COMM_TYPE_BOARD    8
#define OMPI_COMM_TYPE_HOST     9
#define OMPI_COMM_TYPE_CU       10
#define OMPI_COMM_TYPE_CLUSTER  11

#define MPI_KEYVAL_INVALID  (-1)
#define MPI_TAG_UB          0
#define MPI_HOST            1
#define MPI_IO              2
#define MPI_WTIME_IS_GLOBAL 3
#define MPI_UNIVERSE_SIZE   6
#define MPI_LASTUSEDCODE    5
#define MPI_APPNUM          4

#define MPI_GRAPH      2
#define MPI_CART       1
#define MPI_DIST_GRAPH 3

extern struct ompi_predefined_errhandler_t ompi_mpi_errhandler_null, ompi_mpi_errors_are_fatal,
    ompi_mpi_errors_return;

#define MPI_ERRORS_ARE_FATAL FMPL_MPI_OBJECT(MPI_Errhandler, ompi_mpi_errors_are_fatal)
#define MPI_ERRORS_RETURN    FMPL_MPI_OBJECT(MPI_Errhandler, ompi_mpi_errors_return)

#define MPI_THREAD_SINGLE     0
#define MPI_THREAD_FUNNELED   1
#define MPI_THREAD_SERIALIZED 2
#define MPI_THREAD_MULTIPLE   3

/* What MPI_Bsend needs in the attached buffer besides the data, for each message. */
#define MPI_BSEND_OVERHEAD 128

/* ---- 8.4 Error classes ---- */

#define MPI_SUCCESS                   0
#define MPI_ERR_BUFFER                1
#define MPI_ERR_COUNT                 2
#define MPI_ERR_TYPE                  3
#define MPI_ERR_TAG                   4
#define MPI_ERR_COMM                  5
#define MPI_ERR_RANK                  6
#define MPI_ERR_ROOT                  8
#define MPI_ERR_GROUP                 9
#define MPI_ERR_OP                    10
#define MPI_ERR_TOPOLOGY              11
#define MPI_ERR_DIMS                  12
#define MPI_ERR_ARG                   13
#define MPI_ERR_UNKNOWN               14
#define MPI_ERR_TRUNCATE              15
#define MPI_ERR_OTHER                 16
#define MPI_ERR_INTERN                17
#define MPI_ERR_IN_STATUS             18
#define MPI_ERR_PENDING               19
#define MPI_ERR_REQUEST               7
#define MPI_ERR_ACCESS                20
#define MPI_ERR_AMODE                 21
#define MPI_ERR_BAD_FILE              23
#define MPI_ERR_CONVERSION            25
#define MPI_ERR_DUP_DATAREP           27
#define MPI_ERR_FILE_EXISTS           28
#define MPI_ERR_FILE_IN_USE           29
#define MPI_ERR_FILE                  30
#define MPI_ERR_INFO                  34
#define MPI_ERR_INFO_KEY              31
#define MPI_ERR_INFO_VALUE            33
#define MPI_ERR_INFO_NOKEY            32
#define MPI_ERR_IO                    35
#define MPI_ERR_NAME                  38
#define MPI_ERR_NO_MEM                39
#define MPI_ERR_NOT_SAME              40
#define MPI_ERR_NO_SPACE              41
#define MPI_ERR_NO_SUCH_FILE          42
#define MPI_ERR_PORT                  43
#define MPI_ERR_QUOTA                 44
#define MPI_ERR_READ_ONLY             45
#define MPI_ERR_SERVICE               48
#define MPI_ERR_SPAWN                 50
#define MPI_ERR_UNSUPPORTED_DATAREP   51
#define MPI_ERR_UNSUPPORTED_OPERATION 52
#define MPI_ERR_WIN                   53
#define MPI_ERR_BASE                  24
#define MPI_ERR_LOCKTYPE              37
#define MPI_ERR_KEYVAL                36
#define MPI_ERR_RMA_CONFLICT          46
#define MPI_ERR_RMA_SYNC              47
#define MPI_ERR_SIZE                  49
#define MPI_ERR_DISP                  26
#define MPI_ERR_ASSERT                22
#define MPI_ERR_RMA_RANGE             68
#define MPI_ERR_RMA_ATTACH            69
#define MPI_ERR_RMA_SHARED            71
#define MPI_ERR_RMA_FLAVOR            70
#define MPI_ERR_LASTCODE              92

/* ---- 11, 13, 14.3 What chapters left out name ---- */

/* 11.2, 11.5 Windows: attributes, kinds, models, locks, assertions */
#define MPI_WIN_BASE          7
#define MPI_WIN_SIZE          8
#define MPI_WIN_DISP_UNIT     9
#define MPI_WIN_CREATE_FLAVOR 10
#define MPI_WIN_MODEL         11

#define MPI_WIN_FLAVOR_CREATE   1
#define MPI_WIN_FLAVOR_ALLOCATE 2
#define MPI_WIN_FLAVOR_DYNAMIC  3
#define MPI_WIN_FLAVOR_SHARED   4
#define MPI_WIN_SEPARATE        1
#define MPI_WIN_UNIFIED         0

#define MPI_LOCK_EXCLUSIVE 1
#define MPI_LOCK_SHARED    2
#define MPI_MODE_NOCHECK   1
#define MPI_MODE_NOSTORE   8
#define MPI_MODE_NOPUT     4
#define MPI_MODE_NOPRECEDE 2
#define MPI_MODE_NOSUCCEED 16

/* 13.2, 13.3, 13.4 Files: modes, the current displacement, places to count from */
#define MPI_MODE_CREATE          1
#define MPI_MODE_RDONLY          2
#define MPI_MODE_WRONLY          4
#define MPI_MODE_RDWR            8
#define MPI_MODE_DELETE_ON_CLOSE 16
#define MPI_MODE_UNIQUE_OPEN     32
#define MPI_MODE_EXCL            64
#define MPI_MODE_APPEND          128
#define MPI_MODE_SEQUENTIAL      256

#define MPI_SEEK_SET             600
#define MPI_SEEK_CUR             602
#define MPI_SEEK_END             604
#define MPI_DISPLACEMENT_CURRENT (-54278278)

/* 14.3 The tools interface: handles, levels of detail, bindings, scopes, classes, errors */
typedef struct mca_base_var_enum_t *MPI_T_enum;
typedef struct ompi_mpit_cvar_handle_t *MPI_T_cvar_handle;
typedef struct mca_base_pvar_handle_t *MPI_T_pvar_handle;
typedef struct mca_base_pvar_session_t *MPI_T_pvar_session;

#define MPI_T_ENUM_NULL         ((MPI_T_enum)0)
#define MPI_T_CVAR_HANDLE_NULL  ((MPI_T_cvar_handle)0)
#define MPI_T_PVAR_HANDLE_NULL  ((MPI_T_pvar_handle)0)
#define MPI_T_PVAR_ALL_HANDLES  ((MPI_T_pvar_handle)-1)
#define MPI_T_PVAR_SESSION_NULL ((MPI_T_pvar_session)0)

#define MPI_T_VERBOSITY_USER_BASIC    0
#define MPI_T_VERBOSITY_USER_DETAIL   1
#define MPI_T_VERBOSITY_USER_ALL      2
#define MPI_T_VERBOSITY_TUNER_BASIC   3
#define MPI_T_VERBOSITY_TUNER_DETAIL  4
#define MPI_T_VERBOSITY_TUNER_ALL     5
#define MPI_T_VERBOSITY_MPIDEV_BASIC  6
#define MPI_T_VERBOSITY_MPIDEV_DETAIL 7
#define MPI_T_VERBOSITY_MPIDEV_ALL    8

#define MPI_T_BIND_NO_OBJECT      0
#define MPI_T_BIND_MPI_COMM       1
#define MPI_T_BIND_MPI_DATATYPE   2
#define MPI_T_BIND_MPI_ERRHANDLER 3
#define MPI_T_BIND_MPI_FILE       4
#define MPI_T_BIND_MPI_GROUP      5
#define MPI_T_BIND_MPI_OP         6
#define MPI_T_BIND_MPI_REQUEST    7
#define MPI_T_BIND_MPI_WIN        8
#define MPI_T_BIND_MPI_MESSAGE    9
#define MPI_T_BIND_MPI_INFO       10

#define MPI_T_SCOPE_CONSTANT 0
#define MPI_T_SCOPE_READONLY 1
#define MPI_T_SCOPE_LOCAL    2
#define MPI_T_SCOPE_GROUP    3
#define MPI_T_SCOPE_GROUP_EQ 4
#define MPI_T_SCOPE_ALL      5
#define MPI_T_SCOPE_ALL_EQ   6

#define MPI_T_PVAR_CLASS_STATE         0
#define MPI_T_PVAR_CLASS_LEVEL         1
#define MPI_T_PVAR_CLASS_SIZE          2
#define MPI_T_PVAR_CLASS_PERCENTAGE    3
#define MPI_T_PVAR_CLASS_HIGHWATERMARK 4
#define MPI_T_PVAR_CLASS_LOWWATERMARK  5
#define MPI_T_PVAR_CLASS_COUNTER       6
#define MPI_T_PVAR_CLASS_AGGREGATE     7
#define MPI_T_PVAR_CLASS_TIMER         8
#define MPI_T_PVAR_CLASS_GENERIC       9

#define MPI_T_ERR_MEMORY            54
#define MPI_T_ERR_NOT_INITIALIZED   55
#define MPI_T_ERR_CANNOT_INIT       56
#define MPI_T_ERR_INVALID_INDEX     57
#define MPI_T_ERR_INVALID_ITEM      58
#define MPI_T_ERR_INVALID_HANDLE    59
#define MPI_T_ERR_OUT_OF_HANDLES    60
#define MPI_T_ERR_OUT_OF_SESSIONS   61
#define MPI_T_ERR_INVALID_SESSION   62
#define MPI_T_ERR_CVAR_SET_NOT_NOW  63
#define MPI_T_ERR_CVAR_SET_NEVER    64
#define MPI_T_ERR_PVAR_NO_STARTSTOP 65
#define MPI_T_ERR_PVAR_NO_WRITE     66
#define MPI_T_ERR_PVAR_NO_ATOMIC    67
#define MPI_T_ERR_INVALID_NAME      73
#define MPI_T_ERR_INVALID           72

#ifdef __cplusplus
}
#endif

#include "mpi_functions.h"

#ifdef __cplusplus
extern "C" {
#endif

/* 4.1.5 Sums of addresses are no calls: Open MPI's library has none by these names. */
#define MPI_Aint_add(base, disp)     ((MPI_Aint)((char *)(base) + (disp)))
#define MPI_Aint_diff(addr1, addr2)  ((MPI_Aint)((char *)(addr1) - (char *)(addr2)))
#define PMPI_Aint_add(base, disp)    MPI_Aint_add(base, disp)
#define PMPI_Aint_diff(addr1, addr2) MPI_Aint_diff(addr1, addr2)

/* 7.5.4 Arguments of the distributed graphs that mean something by their address */
#define MPI_UNWEIGHTED    ((int *)2)
#define MPI_WEIGHTS_EMPTY ((int *)3)

/* 6.7.2, 15.1 The attribute functions: copy nothing, delete nothing, copy the value and answer true. */
#define FMPL_MPI_ATTRIBUTE_FUNCTIONS(name, type)                                                        \
    int OMPI_C_MPI_##name##NULL_COPY_FN(type, int keyval, void *extra_state, void *value_in,            \
                                        void *value_out, int *flag);                                    \
    int OMPI_C_MPI_##name##NULL_DELETE_FN(type, int keyval, void *value, void *extra_state);            \
    int OMPI_C_MPI_##name##DUP_FN(type, int keyval, void *extra_state, void *value_in, void *value_out, \
                                  int *flag)

FMPL_MPI_ATTRIBUTE_FUNCTIONS(COMM_, MPI_Comm);
FMPL_MPI_ATTRIBUTE_FUNCTIONS(TYPE_, MPI_Datatype);
FMPL_MPI_ATTRIBUTE_FUNCTIONS(WIN_, MPI_Win);
FMPL_MPI_ATTRIBUTE_FUNCTIONS(, MPI_Comm);

#undef FMPL_MPI_ATTRIBUTE_FUNCTIONS

#define MPI_COMM_NULL_COPY_FN   OMPI_C_MPI_COMM_NULL_COPY_FN
#define MPI_COMM_NULL_DELETE_FN OMPI_C_MPI_COMM_NULL_DELETE_FN
#define MPI_COMM_DUP_FN         OMPI_C_MPI_COMM_DUP_FN
#define MPI_TYPE_NULL_COPY_FN   OMPI_C_MPI_TYPE_NULL_COPY_FN
#define MPI_TYPE_NULL_DELETE_FN OMPI_C_MPI_TYPE_NULL_DELETE_FN
#define MPI_TYPE_DUP_FN         OMPI_C_MPI_TYPE_DUP_FN
#define MPI_WIN_NULL_COPY_FN    OMPI_C_MPI_WIN_NULL_COPY_FN
#define MPI_WIN_NULL_DELETE_FN  OMPI_C_MPI_WIN_NULL_DELETE_FN
#define MPI_WIN_DUP_FN          OMPI_C_MPI_WIN_DUP_FN
#define MPI_NULL_COPY_FN        OMPI_C_MPI_NULL_COPY_FN
#define MPI_NULL_DELETE_FN      OMPI_C_MPI_NULL_DELETE_FN
#define MPI_DUP_FN              OMPI_C_MPI_DUP_FN
#define MPI_CONVERSION_FN_NULL  ((MPI_Datarep_conversion_function *)0)

/* 17.2.4 A handle in C is an address, in Fortran a small number. */
#define FMPL_MPI_CONVERSIONS(name, type)     \
    MPI_Fint MPI_##name##_c2f(type handle);  \
    MPI_Fint PMPI_##name##_c2f(type handle); \
    type MPI_##name##_f2c(MPI_Fint handle);  \
    type PMPI_##name##_f2c(MPI_Fint handle)

FMPL_MPI_CONVERSIONS(Comm, MPI_Comm);
FMPL_MPI_CONVERSIONS(Type, MPI_Datatype);
FMPL_MPI_CONVERSIONS(Group, MPI_Group);
FMPL_MPI_CONVERSIONS(Request, MPI_Request);
FMPL_MPI_CONVERSIONS(Message, MPI_Message);
FMPL_MPI_CONVERSIONS(Op, MPI_Op);
FMPL_MPI_CONVERSIONS(Info, MPI_Info);
FMPL_MPI_CONVERSIONS(Errhandler, MPI_Errhandler);
FMPL_MPI_CONVERSIONS(Win, MPI_Win);

#undef FMPL_MPI_CONVERSIONS

/* 17.2.5 A status as an array of Fortran integers. The indices start at 0. */
#define MPI_F_STATUS_SIZE 6
#define MPI_F_SOURCE      0
#define MPI_F_TAG         1
#define MPI_F_ERROR       2

#ifdef __cplusplus
}
#endif

#endif
