#include "communicators.hpp"

#include <numeric>
#include <string>

namespace fmpl::blacs {
namespace {

// Of the messages by which MPI makes a group; it keeps them apart from the program's.
constexpr int kGroupTag = 0;

// An MPI_Group, freed at the end of the scope.
class Group {
public:
    explicit Group(MPI_Comm comm) { check(MPI_Comm_group(comm, &group_)); }
    Group(const Group& all, const std::vector<int>& ranks)
    {
        check(MPI_Group_incl(all.group_, static_cast<int>(ranks.size()), ranks.data(), &group_));
    }
    ~Group() { MPI_Group_free(&group_); }
    Group(const Group&) = delete;
    Group& operator=(const Group&) = delete;

    MPI_Group get() const { return group_; }

private:
    MPI_Group group_ = MPI_GROUP_NULL;
};

}  // namespace

void fail(int code)
{
    char words[MPI_MAX_ERROR_STRING];
    int length = 0;
    MPI_Error_string(code, words, &length);
    throw Error(std::string(words, static_cast<std::size_t>(length)));
}

Comm create_group(const std::vector<int>& world_ranks)
{
    const Group world(MPI_COMM_WORLD);
    const Group members(world, world_ranks);
    MPI_Comm comm = MPI_COMM_NULL;
    check(MPI_Comm_create_group(MPI_COMM_WORLD, members.get(), kGroupTag, &comm));
    check(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    return comm;
}

std::vector<int> world_ranks_of(Comm comm)
{
    if (comm == MPI_COMM_NULL) refuse("the communicator is MPI_COMM_NULL; give one that this process belongs to");
    const Group world(MPI_COMM_WORLD);
    const Group members(comm);
    int size = 0;
    check(MPI_Group_size(members.get(), &size));
    std::vector<int> own(static_cast<std::size_t>(size));
    std::iota(own.begin(), own.end(), 0);
    std::vector<int> ranks(own.size());
    check(MPI_Group_translate_ranks(members.get(), size, own.data(), world.get(), ranks.data()));
    for (const int rank : ranks) {
        if (rank == MPI_UNDEFINED) refuse("the communicator has processes outside MPI_COMM_WORLD; give one without");
    }
    return ranks;
}

}  // namespace fmpl::blacs
