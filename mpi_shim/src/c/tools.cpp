// The tools interface (MPI-3.1, section 14.3). There are no variables and no categories, so every index is beyond the
// last, every name unknown and every handle invalid.
//
// The calls may come before MPI_Init and after MPI_Finalize, from any thread. They keep nothing, not even how often the
// interface was initialized: so none fails with MPI_T_ERR_NOT_INITIALIZED. Their codes are in the program's numbers.
#include "abi/boundary.hpp"

using namespace fmpl::mpi;

namespace {

// What every session is: there is nothing to tell one from another.
char session_mark;

MPI_T_pvar_session the_session()
{
    return reinterpret_cast<MPI_T_pvar_session>(&session_mark);
}

int answer(int* to, int value)
{
    if (to == nullptr) return MPI_T_ERR_INVALID;
    *to = value;
    return MPI_SUCCESS;
}

int in_session(MPI_T_pvar_session session, int code)
{
    return session == the_session() ? code : MPI_T_ERR_INVALID_SESSION;
}

// A call on one variable of a session, or on all: of which there is none.
int on_each(MPI_T_pvar_session session, MPI_T_pvar_handle handle)
{
    return in_session(session, handle == MPI_T_PVAR_ALL_HANDLES ? MPI_SUCCESS : MPI_T_ERR_INVALID_HANDLE);
}

}  // namespace

#define FMPL_TOOLS_CALL(name, parameters, result) \
    int P##name parameters                        \
    {                                             \
        return result;                            \
    }                                             \
    FMPL_MPI_NAME(name)

// ---- 14.3.4, 14.3.5 Start and end, enumerations

FMPL_TOOLS_CALL(MPI_T_init_thread, (int, int* provided), answer(provided, MPI_THREAD_MULTIPLE))
FMPL_TOOLS_CALL(MPI_T_finalize, (), MPI_SUCCESS)
FMPL_TOOLS_CALL(MPI_T_enum_get_info, (MPI_T_enum, int*, char*, int*), MPI_T_ERR_INVALID_HANDLE)
FMPL_TOOLS_CALL(MPI_T_enum_get_item, (MPI_T_enum, int, int*, char*, int*), MPI_T_ERR_INVALID_HANDLE)

// ---- 14.3.6 Control variables

FMPL_TOOLS_CALL(MPI_T_cvar_get_num, (int* num_cvar), answer(num_cvar, 0))
FMPL_TOOLS_CALL(MPI_T_cvar_get_info, (int, char*, int*, int*, MPI_Datatype*, MPI_T_enum*, char*, int*, int*, int*),
    MPI_T_ERR_INVALID_INDEX)
FMPL_TOOLS_CALL(MPI_T_cvar_get_index, (const char*, int*), MPI_T_ERR_INVALID_NAME)
FMPL_TOOLS_CALL(MPI_T_cvar_handle_alloc, (int, void*, MPI_T_cvar_handle*, int*), MPI_T_ERR_INVALID_INDEX)
FMPL_TOOLS_CALL(MPI_T_cvar_handle_free, (MPI_T_cvar_handle*), MPI_T_ERR_INVALID_HANDLE)
FMPL_TOOLS_CALL(MPI_T_cvar_read, (MPI_T_cvar_handle, void*), MPI_T_ERR_INVALID_HANDLE)
FMPL_TOOLS_CALL(MPI_T_cvar_write, (MPI_T_cvar_handle, const void*), MPI_T_ERR_INVALID_HANDLE)

// ---- 14.3.7 Performance variables

FMPL_TOOLS_CALL(MPI_T_pvar_get_num, (int* num_pvar), answer(num_pvar, 0))
FMPL_TOOLS_CALL(MPI_T_pvar_get_info,
    (int, char*, int*, int*, int*, MPI_Datatype*, MPI_T_enum*, char*, int*, int*, int*, int*, int*),
    MPI_T_ERR_INVALID_INDEX)
FMPL_TOOLS_CALL(MPI_T_pvar_get_index, (const char*, int, int*), MPI_T_ERR_INVALID_NAME)

int PMPI_T_pvar_session_create(MPI_T_pvar_session* session)
{
    if (session == nullptr) return MPI_T_ERR_INVALID;
    *session = the_session();
    return MPI_SUCCESS;
}
FMPL_MPI_NAME(MPI_T_pvar_session_create)

int PMPI_T_pvar_session_free(MPI_T_pvar_session* session)
{
    if (session == nullptr || *session != the_session()) return MPI_T_ERR_INVALID_SESSION;
    *session = MPI_T_PVAR_SESSION_NULL;
    return MPI_SUCCESS;
}
FMPL_MPI_NAME(MPI_T_pvar_session_free)

FMPL_TOOLS_CALL(MPI_T_pvar_handle_alloc, (MPI_T_pvar_session session, int, void*, MPI_T_pvar_handle*, int*),
    in_session(session, MPI_T_ERR_INVALID_INDEX))
FMPL_TOOLS_CALL(MPI_T_pvar_handle_free, (MPI_T_pvar_session session, MPI_T_pvar_handle*),
    in_session(session, MPI_T_ERR_INVALID_HANDLE))
FMPL_TOOLS_CALL(MPI_T_pvar_start, (MPI_T_pvar_session session, MPI_T_pvar_handle handle), on_each(session, handle))
FMPL_TOOLS_CALL(MPI_T_pvar_stop, (MPI_T_pvar_session session, MPI_T_pvar_handle handle), on_each(session, handle))
FMPL_TOOLS_CALL(MPI_T_pvar_read, (MPI_T_pvar_session session, MPI_T_pvar_handle, void*),
    in_session(session, MPI_T_ERR_INVALID_HANDLE))
FMPL_TOOLS_CALL(MPI_T_pvar_write, (MPI_T_pvar_session session, MPI_T_pvar_handle, const void*),
    in_session(session, MPI_T_ERR_INVALID_HANDLE))
FMPL_TOOLS_CALL(MPI_T_pvar_reset, (MPI_T_pvar_session session, MPI_T_pvar_handle handle), on_each(session, handle))
FMPL_TOOLS_CALL(MPI_T_pvar_readreset, (MPI_T_pvar_session session, MPI_T_pvar_handle, void*),
    in_session(session, MPI_T_ERR_INVALID_HANDLE))

// ---- 14.3.8 Categories

FMPL_TOOLS_CALL(MPI_T_category_get_num, (int* num_cat), answer(num_cat, 0))
FMPL_TOOLS_CALL(MPI_T_category_get_info, (int, char*, int*, char*, int*, int*, int*, int*), MPI_T_ERR_INVALID_INDEX)
FMPL_TOOLS_CALL(MPI_T_category_get_index, (const char*, int*), MPI_T_ERR_INVALID_NAME)
FMPL_TOOLS_CALL(MPI_T_category_get_cvars, (int, int, int*), MPI_T_ERR_INVALID_INDEX)
FMPL_TOOLS_CALL(MPI_T_category_get_pvars, (int, int, int*), MPI_T_ERR_INVALID_INDEX)
FMPL_TOOLS_CALL(MPI_T_category_get_categories, (int, int, int*), MPI_T_ERR_INVALID_INDEX)
FMPL_TOOLS_CALL(MPI_T_category_changed, (int* stamp), answer(stamp, 0))
