// MPI leaves to the library how many communicators a rank can have at a time: what comes of calls when there is no handle left.
#include "mpi_test.hpp"

#include <cstddef>
#include <vector>

using namespace mpi_test;

namespace {

constexpr std::size_t kHandles = 65536;  // of communicators, of a rank

// The code of the call or of its completion; the handle of what has failed is freed, where there is one.
int completed(int code, MPI_Request* request, MPI_Comm* made)
{
    if (code == MPI_SUCCESS) code = MPI_Wait(request, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS && *made != MPI_COMM_NULL) MPI_Comm_free(made);
    return code;
}

int idup_and_wait(MPI_Comm comm, MPI_Comm* made)
{
    MPI_Request request = MPI_REQUEST_NULL;
    const int code = MPI_Comm_idup(comm, made, &request);
    return completed(code, &request, made);
}

// All members talk, of an intercommunicator to those of the other side.
void expect_working(MPI_Comm comm)
{
    REQUIRE(comm != MPI_COMM_NULL);
    int is_inter = 0;
    MPI_Comm_test_inter(comm, &is_inter);
    int others = 0;
    if (is_inter != 0) {
        MPI_Comm_remote_size(comm, &others);
    } else {
        MPI_Comm_size(comm, &others);
    }
    const int one = 1;
    int sum = 0;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    EXPECT_EQ(sum, others);
}

// Handles of communicators, taken by the calling rank alone.
class Taken {
public:
    ~Taken()
    {
        while (!held_.empty()) give_one();
    }
    void take_all()
    {
        const ReturnErrors of_self(MPI_COMM_SELF);
        MPI_Comm copy = MPI_COMM_NULL;
        while (MPI_Comm_dup(MPI_COMM_SELF, &copy) == MPI_SUCCESS) held_.push_back(copy);
    }
    void give_one()
    {
        MPI_Comm_free(&held_.back());
        held_.pop_back();
    }
    std::size_t count() const { return held_.size(); }

private:
    std::vector<MPI_Comm> held_;
};

// A copy function that makes a communicator of its own, as those of libraries do.
int copy_by_dup(MPI_Comm, int, void* code, void*, void*, int* flag)
{
    MPI_Comm own = MPI_COMM_NULL;
    *static_cast<int*>(code) = MPI_Comm_dup(MPI_COMM_SELF, &own);
    if (own != MPI_COMM_NULL) MPI_Comm_free(&own);
    *flag = 0;
    return MPI_SUCCESS;
}

void set_attribute(MPI_Comm_copy_attr_function* copy, MPI_Comm_delete_attr_function* on_delete, void* extra, int* key)
{
    MPI_Comm_create_keyval(copy, on_delete, key, extra);
    MPI_Comm_set_attr(MPI_COMM_WORLD, *key, nullptr);
}

}  // namespace

// The handle that all members count on is not for the user's functions to take.
MPI_TEST_AT(WithoutHandles, TheCopyFunctionDoesNotGetTheHandleOfTheDuplicate, ({2, 3}))
{
    if (library() != Library::fmpl) return;
    const ReturnErrors guard;
    const ReturnErrors of_self(MPI_COMM_SELF);
    int key = MPI_KEYVAL_INVALID;
    int code = MPI_SUCCESS;
    set_attribute(copy_by_dup, MPI_COMM_NULL_DELETE_FN, &code, &key);
    const int full = size() - 1;
    Taken taken;
    if (rank() == full) {
        taken.take_all();
        taken.give_one();
    }
    for (int (*const duplicate)(MPI_Comm, MPI_Comm*) : {&MPI_Comm_dup, &idup_and_wait}) {
        MPI_Comm made = MPI_COMM_NULL;
        EXPECT_SUCCESS(duplicate(MPI_COMM_WORLD, &made));
        EXPECT_CLASS(rank() == full ? MPI_ERR_COMM : MPI_SUCCESS, code);
        expect_working(made);
        MPI_Comm_free(&made);
    }
    MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
    MPI_Comm_free_keyval(&key);
}

// What a failing copy function leaves: no communicator, and no handle that is in use.
MPI_TEST_AT(WithoutHandles, ADuplicationWhoseCopyFunctionFailsLeavesNoHandle, ({2, 3}))
{
    if (library() != Library::fmpl) return;
    const ReturnErrors guard;
    int key = MPI_KEYVAL_INVALID;
    set_attribute([](MPI_Comm, int, void*, void*, void*, int*) { return MPI_ERR_INTERN; }, MPI_COMM_NULL_DELETE_FN,
        nullptr, &key);
    for (int round = 0; round < 3; ++round) {
        MPI_Comm made = MPI_COMM_NULL;
        EXPECT_CLASS(MPI_ERR_INTERN, MPI_Comm_dup(MPI_COMM_WORLD, &made));
        EXPECT_TRUE(made == MPI_COMM_NULL);
        EXPECT_CLASS(MPI_ERR_INTERN, idup_and_wait(MPI_COMM_WORLD, &made));
        EXPECT_TRUE(made == MPI_COMM_NULL);
    }
    MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
    MPI_Comm_free_keyval(&key);
    Taken taken;
    taken.take_all();
    EXPECT_EQ(taken.count(), kHandles);
}
