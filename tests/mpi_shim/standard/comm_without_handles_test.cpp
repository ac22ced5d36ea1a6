// MPI leaves to the library how many communicators a rank can have at a time. Where one member of a new communicator
// has no handle left for it, the call is an error on all members (MPI-3.1, section 6.4: they are collective),
// whichever member it is, and all can go on.
#include "mpi_test.hpp"

#include <cstddef>
#include <string>
#include <vector>

using namespace mpi_test;

namespace {

constexpr std::size_t kHandles = 65536;  // of communicators, of a rank

// What the calls make communicators from. Collective over MPI_COMM_WORLD; all that it makes inherits that one's error
// handler.
class Parents {
public:
    Parents()
    {
        MPI_Comm_group(MPI_COMM_WORLD, &group);
        MPI_Comm_split(MPI_COMM_WORLD, rank() % 2, 0, &half);
        const int dims[2] = {size(), 1};
        const int periods[2] = {0, 0};
        MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
        create_inter(&inter, false);
    }
    ~Parents()
    {
        for (MPI_Comm* const comm : {&half, &grid, &inter}) MPI_Comm_free(comm);
        MPI_Group_free(&group);
    }
    Parents(const Parents&) = delete;
    Parents& operator=(const Parents&) = delete;

    // Between the even ranks and the odd ones; each side's first or last rank leads it.
    int create_inter(MPI_Comm* made, bool last_leads) const
    {
        int members = 0;
        MPI_Comm_size(half, &members);
        const int others = size() - members;
        const int leader = last_leads ? members - 1 : 0;
        const int remote_leader = (1 - rank() % 2) + 2 * (last_leads ? others - 1 : 0);
        return MPI_Intercomm_create(half, leader, MPI_COMM_WORLD, remote_leader, 3, made);
    }

    static constexpr std::size_t kCommunicators = 3;
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Comm half = MPI_COMM_NULL;
    MPI_Comm grid = MPI_COMM_NULL;
    MPI_Comm inter = MPI_COMM_NULL;
};

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

struct Call {
    const char* name;
    int (*make)(const Parents& from, MPI_Comm* made);
};

const Call kCalls[] = {
    {"dup", [](const Parents&, MPI_Comm* made) { return MPI_Comm_dup(MPI_COMM_WORLD, made); }},
    {"dup_with_info",
        [](const Parents&, MPI_Comm* made) { return MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, made); }},
    {"idup", [](const Parents&, MPI_Comm* made) { return idup_and_wait(MPI_COMM_WORLD, made); }},
    {"create", [](const Parents& from, MPI_Comm* made) { return MPI_Comm_create(MPI_COMM_WORLD, from.group, made); }},
    {"create_group",
        [](const Parents& from, MPI_Comm* made) { return MPI_Comm_create_group(MPI_COMM_WORLD, from.group, 0, made); }},
    {"split", [](const Parents&, MPI_Comm* made) { return MPI_Comm_split(MPI_COMM_WORLD, 0, -rank(), made); }},
    {"split_type",
        [](const Parents&, MPI_Comm* made) {
            return MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, made);
        }},
    {"cart_create",
        [](const Parents&, MPI_Comm* made) {
            const int dims[1] = {size()};
            const int periods[1] = {0};
            return MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, made);
        }},
    {"cart_sub",
        [](const Parents& from, MPI_Comm* made) {
            const int remain[2] = {1, 0};
            return MPI_Cart_sub(from.grid, remain, made);
        }},
    {"graph_create",
        [](const Parents&, MPI_Comm* made) {
            const std::vector<int> ends(static_cast<std::size_t>(size()), 0);
            return MPI_Graph_create(MPI_COMM_WORLD, size(), ends.data(), nullptr, 0, made);
        }},
    {"dist_graph_create",
        [](const Parents&, MPI_Comm* made) {
            return MPI_Dist_graph_create(
                MPI_COMM_WORLD, 0, nullptr, nullptr, nullptr, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, made);
        }},
    {"dist_graph_create_adjacent",
        [](const Parents&, MPI_Comm* made) {
            return MPI_Dist_graph_create_adjacent(
                MPI_COMM_WORLD, 0, nullptr, MPI_UNWEIGHTED, 0, nullptr, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, made);
        }},
    {"intercomm_create, the first leads",
        [](const Parents& from, MPI_Comm* made) { return from.create_inter(made, false); }},
    {"intercomm_create, the last leads",
        [](const Parents& from, MPI_Comm* made) { return from.create_inter(made, true); }},
    {"intercomm_merge, in order",
        [](const Parents& from, MPI_Comm* made) { return MPI_Intercomm_merge(from.inter, rank() % 2, made); }},
    {"intercomm_merge, reversed",
        [](const Parents& from, MPI_Comm* made) { return MPI_Intercomm_merge(from.inter, 1 - rank() % 2, made); }},
    {"dup of an intercommunicator", [](const Parents& from, MPI_Comm* made) { return MPI_Comm_dup(from.inter, made); }},
    {"idup of an intercommunicator",
        [](const Parents& from, MPI_Comm* made) { return idup_and_wait(from.inter, made); }},
    {"split of an intercommunicator",
        [](const Parents& from, MPI_Comm* made) { return MPI_Comm_split(from.inter, 0, 0, made); }},
    {"create of an intercommunicator",
        [](const Parents& from, MPI_Comm* made) {
            MPI_Group mine = MPI_GROUP_NULL;
            MPI_Comm_group(from.inter, &mine);
            const int code = MPI_Comm_create(from.inter, mine, made);
            MPI_Group_free(&mine);
            return code;
        }},
};

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

// How often attributes were copied and how often copies were deleted.
struct Copies {
    int made = 0;
    int deleted = 0;
};

int copy_attribute(MPI_Comm, int, void* copies, void* value, void* out, int* flag)
{
    ++static_cast<Copies*>(copies)->made;
    *static_cast<void**>(out) = value;
    *flag = 1;
    return MPI_SUCCESS;
}

int delete_attribute(MPI_Comm, int, void*, void* copies)
{
    ++static_cast<Copies*>(copies)->deleted;
    return MPI_SUCCESS;
}

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

// Each rank in turn: the one that leads the new communicator, and the others.
MPI_TEST_AT(WithoutHandles, OneRankWithoutAHandleToSpareIsAnErrorOnAll, ({2, 3, 4, 7}))
{
    if (library() != Library::fmpl) return;
    const ReturnErrors guard;
    const Parents parents;
    int key = MPI_KEYVAL_INVALID;
    Copies copies;
    set_attribute(copy_attribute, delete_attribute, &copies, &key);
    for (int full = 0; full < size(); ++full) {
        const std::string of_rank = ", without handles: rank " + std::to_string(full);
        Taken taken;
        if (rank() == full) {
            taken.take_all();
            // Whatever has failed in former turns has left no handle behind.
            EXPECT_EQ(taken.count(), kHandles - Parents::kCommunicators);
        }
        for (const Call& call : kCalls) {
            SCOPED_TRACE(call.name + of_rank);
            MPI_Comm made = MPI_COMM_NULL;
            EXPECT_CLASS(MPI_ERR_COMM, call.make(parents, &made));
            EXPECT_TRUE(made == MPI_COMM_NULL);
        }
        EXPECT_EQ(copies.made, copies.deleted);
        for (const MPI_Comm comm : {MPI_COMM_WORLD, parents.half, parents.grid, parents.inter}) expect_working(comm);
        // One handle is enough, for one call after another.
        if (rank() == full) taken.give_one();
        for (const Call& call : kCalls) {
            SCOPED_TRACE(call.name + of_rank);
            MPI_Comm made = MPI_COMM_NULL;
            EXPECT_SUCCESS(call.make(parents, &made));
            expect_working(made);
            MPI_Comm_free(&made);
        }
        EXPECT_EQ(copies.made, copies.deleted);
    }
    MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
    MPI_Comm_free_keyval(&key);
}

// A duplicate under way has its handle already, on all ranks: of two, the first one gets the last handle.
MPI_TEST_AT(WithoutHandles, OfTwoDuplicationsUnderWayTheFirstHasTheLastHandle, ({2, 3, 4, 7}))
{
    if (library() != Library::fmpl) return;
    const ReturnErrors guard;
    const Parents parents;
    for (int full = 0; full < size(); ++full) {
        SCOPED_TRACE("without handles: rank " + std::to_string(full));
        Taken taken;
        if (rank() == full) {
            taken.take_all();
            taken.give_one();
        }
        for (const MPI_Comm comm : {MPI_COMM_WORLD, parents.inter}) {
            MPI_Comm made[2] = {MPI_COMM_NULL, MPI_COMM_NULL};
            MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
            int codes[2];
            for (int i = 0; i < 2; ++i) codes[i] = MPI_Comm_idup(comm, &made[i], &requests[i]);
            for (int i = 1; i >= 0; --i) codes[i] = completed(codes[i], &requests[i], &made[i]);
            EXPECT_SUCCESS(codes[0]);
            EXPECT_CLASS(MPI_ERR_COMM, codes[1]);
            expect_working(made[0]);
            EXPECT_TRUE(made[1] == MPI_COMM_NULL);
            MPI_Comm_free(&made[0]);
        }
    }
}

// The rank whose MPI_Comm_idup has failed has no request to wait for; the others hear from it, and through it,
// wherever it is in MPI.
MPI_TEST_AT(WithoutHandles, WhoCannotDuplicateMayGoOnToFinalize, ({2, 3, 4, 7}))
{
    if (library() != Library::fmpl) return;
    const ReturnErrors guard;
    const int full = size() / 2 / 2 * 2;  // at 4 and 7 ranks it has others below it in the tree, and is no root
    Taken taken;
    if (rank() == full) taken.take_all();
    MPI_Comm made = MPI_COMM_NULL;
    EXPECT_CLASS(MPI_ERR_COMM, idup_and_wait(MPI_COMM_WORLD, &made));
}

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
