// System contexts: what a grid is made from. Each handle stands for a list of processes (their ranks in the job) and,
// while it exists, for a communicator with just these ranks in this order, as the program knows it: of the library,
// or of an MPI beside it.
//
// Handle 0 is the communicator of all processes and is never freed. The handle of a grid (Cblacs_get 10) survives the
// grid: without its communicator it can still make grids, since making them takes the list alone. One communicator has
// one handle, and a grid with the processes of an exited one takes over its handle, so that the number of handles is
// bounded by the number of different process lists and of grids that exist at one time, however many grids a program
// makes.
#pragma once

#include "transport.hpp"

#include <vector>

namespace fmpl::blacs {

class SystemContexts {
public:
    SystemContexts();  // after joining the job

    // The handle of a communicator of the program. Throws Error when it does not exist.
    int handle_of(Comm comm);
    // The handle of a grid, whose processes are known.
    int handle_of(Comm comm, const std::vector<int>& world_ranks);

    // Throw Error when there is no such handle.
    const std::vector<int>& world_ranks(int handle) const { return entry(handle).world_ranks; }
    Comm comm(int handle) const { return entry(handle).comm; }
    void free(int handle);

    // The communicator is about to be freed: its handle stays, as a list of processes.
    void forget_comm(Comm comm);

private:
    struct Entry {
        bool in_use;
        Comm comm;
        std::vector<int> world_ranks;
    };
    const Entry& entry(int handle) const;
    const Entry* find(Comm comm) const;
    int add(Comm comm, const std::vector<int>& world_ranks);

    std::vector<Entry> entries_;
};

}  // namespace fmpl::blacs
