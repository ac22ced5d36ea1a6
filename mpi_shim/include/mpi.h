/* MPI 3.1 over FMPL: the C interface, in the order of the standard's chapters.

   The binary interface (handles, constants, the layout of a status, prototypes) is that of MPICH 4.0, so a program may
   be compiled with one and run with the other. Left out, and so neither declared nor in the library: one-sided
   communication (chapter 11), files (13), the tools interface (14.3), and of process creation (10) everything but the
   two calls below. The constants and the types of the users' functions of those chapters are here, for programs that
   only mention them.

   Every function also exists under its profiling name: PMPI_Send for MPI_Send. */
#ifndef FMPL_MPI_H
#define FMPL_MPI_H
#define MPI_INCLUDED

#ifdef __cplusplus
extern "C" {
#endif

/* Tells this library from others: MPI_Get_library_version has the words. */
#define FMPL_MPI 1

#define MPI_VERSION    3
#define MPI_SUBVERSION 1

/* ---- 2.5 Handles, integers, the status ---- */

typedef int MPI_Comm;
typedef int MPI_Datatype;
typedef int MPI_Errhandler;
typedef int MPI_Group;
typedef int MPI_Info;
typedef int MPI_Message;
typedef int MPI_Op;
typedef int MPI_Request;
typedef int MPI_Win;
typedef struct ADIOI_FileD *MPI_File;

typedef long MPI_Aint;
typedef long MPI_Count;
typedef long MPI_Offset;
typedef int MPI_Fint;

/* The first two fields belong to the library: ask MPI_Get_count, MPI_Get_elements, MPI_Test_cancelled. */
typedef struct MPI_Status {
    int count_lo;
    int count_hi_and_cancelled;
    int MPI_SOURCE;
    int MPI_TAG;
    int MPI_ERROR;
} MPI_Status;

#define MPI_COMM_NULL       ((MPI_Comm)0x04000000)
#define MPI_GROUP_NULL      ((MPI_Group)0x08000000)
#define MPI_DATATYPE_NULL   ((MPI_Datatype)0x0c000000)
#define MPI_ERRHANDLER_NULL ((MPI_Errhandler)0x14000000)
#define MPI_OP_NULL         ((MPI_Op)0x18000000)
#define MPI_INFO_NULL       ((MPI_Info)0x1c000000)
#define MPI_WIN_NULL        ((MPI_Win)0x20000000)
#define MPI_REQUEST_NULL    ((MPI_Request)0x2c000000)
#define MPI_MESSAGE_NULL    ((MPI_Message)0x2c000000)
#define MPI_MESSAGE_NO_PROC ((MPI_Message)0x6c000000)
#define MPI_FILE_NULL       ((MPI_File)0)

#define MPI_COMM_WORLD  ((MPI_Comm)0x44000000)
#define MPI_COMM_SELF   ((MPI_Comm)0x44000001)
#define MPI_GROUP_EMPTY ((MPI_Group)0x48000000)
#define MPI_INFO_ENV    ((MPI_Info)0x5c000001)

#define MPI_BOTTOM          ((void *)0)
#define MPI_IN_PLACE        ((void *)-1)
#define MPI_STATUS_IGNORE   ((MPI_Status *)1)
#define MPI_STATUSES_IGNORE ((MPI_Status *)1)
#define MPI_ERRCODES_IGNORE ((int *)0)
#define MPI_ARGV_NULL       ((char **)0)
#define MPI_ARGVS_NULL      ((char ***)0)

#define MPI_UNDEFINED  (-32766)
#define MPI_PROC_NULL  (-1)
#define MPI_ANY_SOURCE (-2)
#define MPI_ROOT       (-3)
#define MPI_ANY_TAG    (-1)

/* Lengths of texts, with the final zero. */
#define MPI_MAX_PROCESSOR_NAME         128
#define MPI_MAX_LIBRARY_VERSION_STRING 8192
#define MPI_MAX_ERROR_STRING           512
#define MPI_MAX_OBJECT_NAME            128
#define MPI_MAX_INFO_KEY               255
#define MPI_MAX_INFO_VAL               1024
#define MPI_MAX_PORT_NAME              256
#define MPI_MAX_DATAREP_STRING         128

/* ---- 3.2.2, 4, 5.9.4, 17.1.9 Predefined data types ---- */

/* C */
#define MPI_CHAR                  ((MPI_Datatype)0x4c000101)
#define MPI_SIGNED_CHAR           ((MPI_Datatype)0x4c000118)
#define MPI_UNSIGNED_CHAR         ((MPI_Datatype)0x4c000102)
#define MPI_WCHAR                 ((MPI_Datatype)0x4c00040e)
#define MPI_SHORT                 ((MPI_Datatype)0x4c000203)
#define MPI_UNSIGNED_SHORT        ((MPI_Datatype)0x4c000204)
#define MPI_INT                   ((MPI_Datatype)0x4c000405)
#define MPI_UNSIGNED              ((MPI_Datatype)0x4c000406)
#define MPI_LONG                  ((MPI_Datatype)0x4c000807)
#define MPI_UNSIGNED_LONG         ((MPI_Datatype)0x4c000808)
#define MPI_LONG_LONG_INT         ((MPI_Datatype)0x4c000809)
#define MPI_LONG_LONG             MPI_LONG_LONG_INT
#define MPI_UNSIGNED_LONG_LONG    ((MPI_Datatype)0x4c000819)
#define MPI_FLOAT                 ((MPI_Datatype)0x4c00040a)
#define MPI_DOUBLE                ((MPI_Datatype)0x4c00080b)
#define MPI_LONG_DOUBLE           ((MPI_Datatype)0x4c00100c)
#define MPI_INT8_T                ((MPI_Datatype)0x4c000137)
#define MPI_INT16_T               ((MPI_Datatype)0x4c000238)
#define MPI_INT32_T               ((MPI_Datatype)0x4c000439)
#define MPI_INT64_T               ((MPI_Datatype)0x4c00083a)
#define MPI_UINT8_T               ((MPI_Datatype)0x4c00013b)
#define MPI_UINT16_T              ((MPI_Datatype)0x4c00023c)
#define MPI_UINT32_T              ((MPI_Datatype)0x4c00043d)
#define MPI_UINT64_T              ((MPI_Datatype)0x4c00083e)
#define MPI_C_BOOL                ((MPI_Datatype)0x4c00013f)
#define MPI_C_FLOAT_COMPLEX       ((MPI_Datatype)0x4c000840)
#define MPI_C_COMPLEX             MPI_C_FLOAT_COMPLEX
#define MPI_C_DOUBLE_COMPLEX      ((MPI_Datatype)0x4c001041)
#define MPI_C_LONG_DOUBLE_COMPLEX ((MPI_Datatype)0x4c002042)

/* MPI's own integers, bytes, packed data */
#define MPI_AINT   ((MPI_Datatype)0x4c000843)
#define MPI_OFFSET ((MPI_Datatype)0x4c000844)
#define MPI_COUNT  ((MPI_Datatype)0x4c000845)
#define MPI_BYTE   ((MPI_Datatype)0x4c00010d)
#define MPI_PACKED ((MPI_Datatype)0x4c00010f)

/* C++ */
#define MPI_CXX_BOOL                ((MPI_Datatype)0x4c000133)
#define MPI_CXX_FLOAT_COMPLEX       ((MPI_Datatype)0x4c000834)
#define MPI_CXX_DOUBLE_COMPLEX      ((MPI_Datatype)0x4c001035)
#define MPI_CXX_LONG_DOUBLE_COMPLEX ((MPI_Datatype)0x4c002036)

/* Fortran */
#define MPI_CHARACTER        ((MPI_Datatype)0x4c00011a)
#define MPI_INTEGER          ((MPI_Datatype)0x4c00041b)
#define MPI_REAL             ((MPI_Datatype)0x4c00041c)
#define MPI_LOGICAL          ((MPI_Datatype)0x4c00041d)
#define MPI_DOUBLE_PRECISION ((MPI_Datatype)0x4c00081f)
#define MPI_COMPLEX          ((MPI_Datatype)0x4c00081e)
#define MPI_DOUBLE_COMPLEX   ((MPI_Datatype)0x4c001022)
#define MPI_INTEGER1         ((MPI_Datatype)0x4c00012d)
#define MPI_INTEGER2         ((MPI_Datatype)0x4c00022f)
#define MPI_INTEGER4         ((MPI_Datatype)0x4c000430)
#define MPI_INTEGER8         ((MPI_Datatype)0x4c000831)
#define MPI_INTEGER16        MPI_DATATYPE_NULL
#define MPI_REAL4            ((MPI_Datatype)0x4c000427)
#define MPI_REAL8            ((MPI_Datatype)0x4c000829)
#define MPI_REAL16           ((MPI_Datatype)0x4c00102b)
#define MPI_COMPLEX8         ((MPI_Datatype)0x4c000828)
#define MPI_COMPLEX16        ((MPI_Datatype)0x4c00102a)
#define MPI_COMPLEX32        ((MPI_Datatype)0x4c00202c)

/* Pairs of a value and its place, for MPI_MINLOC and MPI_MAXLOC */
#define MPI_FLOAT_INT         ((MPI_Datatype)0x8c000000)
#define MPI_DOUBLE_INT        ((MPI_Datatype)0x8c000001)
#define MPI_LONG_INT          ((MPI_Datatype)0x8c000002)
#define MPI_SHORT_INT         ((MPI_Datatype)0x8c000003)
#define MPI_LONG_DOUBLE_INT   ((MPI_Datatype)0x8c000004)
#define MPI_2INT              ((MPI_Datatype)0x4c000816)
#define MPI_2INTEGER          ((MPI_Datatype)0x4c000820)
#define MPI_2REAL             ((MPI_Datatype)0x4c000821)
#define MPI_2DOUBLE_PRECISION ((MPI_Datatype)0x4c001023)

/* Markers of bounds, removed in MPI-3 (16.1) */
#define MPI_LB ((MPI_Datatype)0x4c000010)
#define MPI_UB ((MPI_Datatype)0x4c000011)

/* ---- 4.1 What describes a derived data type ---- */

#define MPI_COMBINER_NAMED            1
#define MPI_COMBINER_DUP              2
#define MPI_COMBINER_CONTIGUOUS       3
#define MPI_COMBINER_VECTOR           4
#define MPI_COMBINER_HVECTOR_INTEGER  5
#define MPI_COMBINER_HVECTOR          6
#define MPI_COMBINER_INDEXED          7
#define MPI_COMBINER_HINDEXED_INTEGER 8
#define MPI_COMBINER_HINDEXED         9
#define MPI_COMBINER_INDEXED_BLOCK    10
#define MPI_COMBINER_STRUCT_INTEGER   11
#define MPI_COMBINER_STRUCT           12
#define MPI_COMBINER_SUBARRAY         13
#define MPI_COMBINER_DARRAY           14
#define MPI_COMBINER_F90_REAL         15
#define MPI_COMBINER_F90_COMPLEX      16
#define MPI_COMBINER_F90_INTEGER      17
#define MPI_COMBINER_RESIZED          18
#define MPI_COMBINER_HINDEXED_BLOCK   19

#define MPI_ORDER_C              56
#define MPI_ORDER_FORTRAN        57
#define MPI_DISTRIBUTE_BLOCK     121
#define MPI_DISTRIBUTE_CYCLIC    122
#define MPI_DISTRIBUTE_NONE      123
#define MPI_DISTRIBUTE_DFLT_DARG (-49767)

#define MPI_TYPECLASS_REAL    1
#define MPI_TYPECLASS_INTEGER 2
#define MPI_TYPECLASS_COMPLEX 3

/* ---- 5.9 Predefined operations ---- */

#define MPI_MAX     ((MPI_Op)0x58000001)
#define MPI_MIN     ((MPI_Op)0x58000002)
#define MPI_SUM     ((MPI_Op)0x58000003)
#define MPI_PROD    ((MPI_Op)0x58000004)
#define MPI_LAND    ((MPI_Op)0x58000005)
#define MPI_BAND    ((MPI_Op)0x58000006)
#define MPI_LOR     ((MPI_Op)0x58000007)
#define MPI_BOR     ((MPI_Op)0x58000008)
#define MPI_LXOR    ((MPI_Op)0x58000009)
#define MPI_BXOR    ((MPI_Op)0x5800000a)
#define MPI_MINLOC  ((MPI_Op)0x5800000b)
#define MPI_MAXLOC  ((MPI_Op)0x5800000c)
#define MPI_REPLACE ((MPI_Op)0x5800000d)
#define MPI_NO_OP   ((MPI_Op)0x5800000e)

/* ---- 6, 7, 8, 12 Groups, attributes, topologies, error handlers, thread levels ---- */

#define MPI_IDENT     0
#define MPI_CONGRUENT 1
#define MPI_SIMILAR   2
#define MPI_UNEQUAL   3

#define MPI_COMM_TYPE_SHARED 1

#define MPI_KEYVAL_INVALID  0x24000000
#define MPI_TAG_UB          0x64400001
#define MPI_HOST            0x64400003
#define MPI_IO              0x64400005
#define MPI_WTIME_IS_GLOBAL 0x64400007
#define MPI_UNIVERSE_SIZE   0x64400009
#define MPI_LASTUSEDCODE    0x6440000b
#define MPI_APPNUM          0x6440000d

#define MPI_GRAPH      1
#define MPI_CART       2
#define MPI_DIST_GRAPH 3

#define MPI_ERRORS_ARE_FATAL ((MPI_Errhandler)0x54000000)
#define MPI_ERRORS_RETURN    ((MPI_Errhandler)0x54000001)
#define MPI_ERRORS_ABORT     ((MPI_Errhandler)0x54000003) /* of MPI-4, for programs built with MPICH */

#define MPI_THREAD_SINGLE     0
#define MPI_THREAD_FUNNELED   1
#define MPI_THREAD_SERIALIZED 2
#define MPI_THREAD_MULTIPLE   3

/* What MPI_Bsend needs in the attached buffer besides the data, for each message. */
#define MPI_BSEND_OVERHEAD 96

/* ---- 8.4 Error classes ---- */

#define MPI_SUCCESS                   0
#define MPI_ERR_BUFFER                1
#define MPI_ERR_COUNT                 2
#define MPI_ERR_TYPE                  3
#define MPI_ERR_TAG                   4
#define MPI_ERR_COMM                  5
#define MPI_ERR_RANK                  6
#define MPI_ERR_ROOT                  7
#define MPI_ERR_GROUP                 8
#define MPI_ERR_OP                    9
#define MPI_ERR_TOPOLOGY              10
#define MPI_ERR_DIMS                  11
#define MPI_ERR_ARG                   12
#define MPI_ERR_UNKNOWN               13
#define MPI_ERR_TRUNCATE              14
#define MPI_ERR_OTHER                 15
#define MPI_ERR_INTERN                16
#define MPI_ERR_IN_STATUS             17
#define MPI_ERR_PENDING               18
#define MPI_ERR_REQUEST               19
#define MPI_ERR_ACCESS                20
#define MPI_ERR_AMODE                 21
#define MPI_ERR_BAD_FILE              22
#define MPI_ERR_CONVERSION            23
#define MPI_ERR_DUP_DATAREP           24
#define MPI_ERR_FILE_EXISTS           25
#define MPI_ERR_FILE_IN_USE           26
#define MPI_ERR_FILE                  27
#define MPI_ERR_INFO                  28
#define MPI_ERR_INFO_KEY              29
#define MPI_ERR_INFO_VALUE            30
#define MPI_ERR_INFO_NOKEY            31
#define MPI_ERR_IO                    32
#define MPI_ERR_NAME                  33
#define MPI_ERR_NO_MEM                34
#define MPI_ERR_NOT_SAME              35
#define MPI_ERR_NO_SPACE              36
#define MPI_ERR_NO_SUCH_FILE          37
#define MPI_ERR_PORT                  38
#define MPI_ERR_QUOTA                 39
#define MPI_ERR_READ_ONLY             40
#define MPI_ERR_SERVICE               41
#define MPI_ERR_SPAWN                 42
#define MPI_ERR_UNSUPPORTED_DATAREP   43
#define MPI_ERR_UNSUPPORTED_OPERATION 44
#define MPI_ERR_WIN                   45
#define MPI_ERR_BASE                  46
#define MPI_ERR_LOCKTYPE              47
#define MPI_ERR_KEYVAL                48
#define MPI_ERR_RMA_CONFLICT          49
#define MPI_ERR_RMA_SYNC              50
#define MPI_ERR_SIZE                  51
#define MPI_ERR_DISP                  52
#define MPI_ERR_ASSERT                53
#define MPI_ERR_RMA_RANGE             55
#define MPI_ERR_RMA_ATTACH            56
#define MPI_ERR_RMA_SHARED            57
#define MPI_ERR_RMA_FLAVOR            58
#define MPI_ERR_LASTCODE              0x3fffffff

/* ---- 11, 13, 14.3 What chapters left out name ---- */

/* 11.2, 11.5 Windows: attributes, kinds, models, locks, assertions */
#define MPI_WIN_BASE          0x66000001
#define MPI_WIN_SIZE          0x66000003
#define MPI_WIN_DISP_UNIT     0x66000005
#define MPI_WIN_CREATE_FLAVOR 0x66000007
#define MPI_WIN_MODEL         0x66000009

#define MPI_WIN_FLAVOR_CREATE   1
#define MPI_WIN_FLAVOR_ALLOCATE 2
#define MPI_WIN_FLAVOR_DYNAMIC  3
#define MPI_WIN_FLAVOR_SHARED   4
#define MPI_WIN_SEPARATE        1
#define MPI_WIN_UNIFIED         2

#define MPI_LOCK_EXCLUSIVE 234
#define MPI_LOCK_SHARED    235
#define MPI_MODE_NOCHECK   1024
#define MPI_MODE_NOSTORE   2048
#define MPI_MODE_NOPUT     4096
#define MPI_MODE_NOPRECEDE 8192
#define MPI_MODE_NOSUCCEED 16384

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
typedef struct MPIR_T_enum_s *MPI_T_enum;
typedef struct MPIR_T_cvar_handle_s *MPI_T_cvar_handle;
typedef struct MPIR_T_pvar_handle_s *MPI_T_pvar_handle;
typedef struct MPIR_T_pvar_session_s *MPI_T_pvar_session;

#define MPI_T_ENUM_NULL         ((MPI_T_enum)0)
#define MPI_T_CVAR_HANDLE_NULL  ((MPI_T_cvar_handle)0)
#define MPI_T_PVAR_HANDLE_NULL  ((MPI_T_pvar_handle)0)
#define MPI_T_PVAR_SESSION_NULL ((MPI_T_pvar_session)0)

#define MPI_T_VERBOSITY_INVALID       0
#define MPI_T_VERBOSITY_USER_BASIC    221
#define MPI_T_VERBOSITY_USER_DETAIL   222
#define MPI_T_VERBOSITY_USER_ALL      223
#define MPI_T_VERBOSITY_TUNER_BASIC   224
#define MPI_T_VERBOSITY_TUNER_DETAIL  225
#define MPI_T_VERBOSITY_TUNER_ALL     226
#define MPI_T_VERBOSITY_MPIDEV_BASIC  227
#define MPI_T_VERBOSITY_MPIDEV_DETAIL 228
#define MPI_T_VERBOSITY_MPIDEV_ALL    229

#define MPI_T_BIND_INVALID        0
#define MPI_T_BIND_NO_OBJECT      9700
#define MPI_T_BIND_MPI_COMM       9701
#define MPI_T_BIND_MPI_DATATYPE   9702
#define MPI_T_BIND_MPI_ERRHANDLER 9703
#define MPI_T_BIND_MPI_FILE       9704
#define MPI_T_BIND_MPI_GROUP      9705
#define MPI_T_BIND_MPI_OP         9706
#define MPI_T_BIND_MPI_REQUEST    9707
#define MPI_T_BIND_MPI_WIN        9708
#define MPI_T_BIND_MPI_MESSAGE    9709
#define MPI_T_BIND_MPI_INFO       9710

#define MPI_T_SCOPE_INVALID  0
#define MPI_T_SCOPE_CONSTANT 60438
#define MPI_T_SCOPE_READONLY 60439
#define MPI_T_SCOPE_LOCAL    60440
#define MPI_T_SCOPE_GROUP    60441
#define MPI_T_SCOPE_GROUP_EQ 60442
#define MPI_T_SCOPE_ALL      60443
#define MPI_T_SCOPE_ALL_EQ   60444

#define MPI_T_PVAR_CLASS_INVALID       0
#define MPI_T_PVAR_CLASS_STATE         240
#define MPI_T_PVAR_CLASS_LEVEL         241
#define MPI_T_PVAR_CLASS_SIZE          242
#define MPI_T_PVAR_CLASS_PERCENTAGE    243
#define MPI_T_PVAR_CLASS_HIGHWATERMARK 244
#define MPI_T_PVAR_CLASS_LOWWATERMARK  245
#define MPI_T_PVAR_CLASS_COUNTER       246
#define MPI_T_PVAR_CLASS_AGGREGATE     247
#define MPI_T_PVAR_CLASS_TIMER         248
#define MPI_T_PVAR_CLASS_GENERIC       249

#define MPI_T_ERR_MEMORY            59
#define MPI_T_ERR_NOT_INITIALIZED   60
#define MPI_T_ERR_CANNOT_INIT       61
#define MPI_T_ERR_INVALID_INDEX     62
#define MPI_T_ERR_INVALID_ITEM      63
#define MPI_T_ERR_INVALID_HANDLE    64
#define MPI_T_ERR_OUT_OF_HANDLES    65
#define MPI_T_ERR_OUT_OF_SESSIONS   66
#define MPI_T_ERR_INVALID_SESSION   67
#define MPI_T_ERR_CVAR_SET_NOT_NOW  68
#define MPI_T_ERR_CVAR_SET_NEVER    69
#define MPI_T_ERR_PVAR_NO_STARTSTOP 70
#define MPI_T_ERR_PVAR_NO_WRITE     71
#define MPI_T_ERR_PVAR_NO_ATOMIC    72
#define MPI_T_ERR_INVALID_NAME      73
#define MPI_T_ERR_INVALID           74

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

/* The one attribute function that does something: copies the value, answers true. */
int MPIR_Dup_fn(MPI_Comm, int keyval, void *extra_state, void *value_in, void *value_out, int *flag);

#define MPI_COMM_NULL_COPY_FN   ((MPI_Comm_copy_attr_function *)0)
#define MPI_COMM_NULL_DELETE_FN ((MPI_Comm_delete_attr_function *)0)
#define MPI_COMM_DUP_FN         ((MPI_Comm_copy_attr_function *)MPIR_Dup_fn)
#define MPI_TYPE_NULL_COPY_FN   ((MPI_Type_copy_attr_function *)0)
#define MPI_TYPE_NULL_DELETE_FN ((MPI_Type_delete_attr_function *)0)
#define MPI_TYPE_DUP_FN         ((MPI_Type_copy_attr_function *)MPIR_Dup_fn)
#define MPI_WIN_NULL_COPY_FN    ((MPI_Win_copy_attr_function *)0)
#define MPI_WIN_NULL_DELETE_FN  ((MPI_Win_delete_attr_function *)0)
#define MPI_WIN_DUP_FN          ((MPI_Win_copy_attr_function *)MPIR_Dup_fn)
#define MPI_NULL_COPY_FN        ((MPI_Copy_function *)0)
#define MPI_NULL_DELETE_FN      ((MPI_Delete_function *)0)
#define MPI_DUP_FN              MPIR_Dup_fn
#define MPI_CONVERSION_FN_NULL  ((MPI_Datarep_conversion_function *)0)

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
FMPL_MPI_CALL(int, MPI_Comm_set_name, (MPI_Comm comm, const char *comm_name));
FMPL_MPI_CALL(int, MPI_Comm_get_name, (MPI_Comm comm, char *comm_name, int *resultlen));
FMPL_MPI_CALL(int, MPI_Type_set_name, (MPI_Datatype datatype, const char *type_name));
FMPL_MPI_CALL(int, MPI_Type_get_name, (MPI_Datatype datatype, char *type_name, int *resultlen));

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

extern int *const MPI_UNWEIGHTED;
extern int *const MPI_WEIGHTS_EMPTY;

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

/* ---- 10 Processes: no process starts another, so there is no parent ---- */

FMPL_MPI_CALL(int, MPI_Comm_get_parent, (MPI_Comm * parent));
FMPL_MPI_CALL(int, MPI_Comm_disconnect, (MPI_Comm * comm));

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

/* ---- 14.2 Profiling ---- */

FMPL_MPI_CALL(int, MPI_Pcontrol, (const int level, ...));

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

/* 17.2.4 A handle is the same number in both languages. */
#define MPI_Comm_c2f(comm)              ((MPI_Fint)(comm))
#define MPI_Comm_f2c(comm)              ((MPI_Comm)(comm))
#define MPI_Type_c2f(datatype)          ((MPI_Fint)(datatype))
#define MPI_Type_f2c(datatype)          ((MPI_Datatype)(datatype))
#define MPI_Group_c2f(group)            ((MPI_Fint)(group))
#define MPI_Group_f2c(group)            ((MPI_Group)(group))
#define MPI_Request_c2f(request)        ((MPI_Fint)(request))
#define MPI_Request_f2c(request)        ((MPI_Request)(request))
#define MPI_Message_c2f(message)        ((MPI_Fint)(message))
#define MPI_Message_f2c(message)        ((MPI_Message)(message))
#define MPI_Op_c2f(op)                  ((MPI_Fint)(op))
#define MPI_Op_f2c(op)                  ((MPI_Op)(op))
#define MPI_Info_c2f(info)              ((MPI_Fint)(info))
#define MPI_Info_f2c(info)              ((MPI_Info)(info))
#define MPI_Errhandler_c2f(errhandler)  ((MPI_Fint)(errhandler))
#define MPI_Errhandler_f2c(errhandler)  ((MPI_Errhandler)(errhandler))
#define MPI_Win_c2f(win)                ((MPI_Fint)(win))
#define MPI_Win_f2c(win)                ((MPI_Win)(win))
#define PMPI_Comm_c2f(comm)             MPI_Comm_c2f(comm)
#define PMPI_Comm_f2c(comm)             MPI_Comm_f2c(comm)
#define PMPI_Type_c2f(datatype)         MPI_Type_c2f(datatype)
#define PMPI_Type_f2c(datatype)         MPI_Type_f2c(datatype)
#define PMPI_Group_c2f(group)           MPI_Group_c2f(group)
#define PMPI_Group_f2c(group)           MPI_Group_f2c(group)
#define PMPI_Request_c2f(request)       MPI_Request_c2f(request)
#define PMPI_Request_f2c(request)       MPI_Request_f2c(request)
#define PMPI_Message_c2f(message)       MPI_Message_c2f(message)
#define PMPI_Message_f2c(message)       MPI_Message_f2c(message)
#define PMPI_Op_c2f(op)                 MPI_Op_c2f(op)
#define PMPI_Op_f2c(op)                 MPI_Op_f2c(op)
#define PMPI_Info_c2f(info)             MPI_Info_c2f(info)
#define PMPI_Info_f2c(info)             MPI_Info_f2c(info)
#define PMPI_Errhandler_c2f(errhandler) MPI_Errhandler_c2f(errhandler)
#define PMPI_Errhandler_f2c(errhandler) MPI_Errhandler_f2c(errhandler)
#define PMPI_Win_c2f(win)               MPI_Win_c2f(win)
#define PMPI_Win_f2c(win)               MPI_Win_f2c(win)

/* 17.2.5 A status as an array of Fortran integers. The indices start at 0. */
#define MPI_F_STATUS_SIZE 5
#define MPI_F_SOURCE      2
#define MPI_F_TAG         3
#define MPI_F_ERROR       4
extern MPI_Fint *MPI_F_STATUS_IGNORE;
extern MPI_Fint *MPI_F_STATUSES_IGNORE;
FMPL_MPI_CALL(int, MPI_Status_c2f, (const MPI_Status *c_status, MPI_Fint *f_status));
FMPL_MPI_CALL(int, MPI_Status_f2c, (const MPI_Fint *f_status, MPI_Status *c_status));

#undef FMPL_MPI_CALL

#ifdef __cplusplus
}
#endif

#endif
