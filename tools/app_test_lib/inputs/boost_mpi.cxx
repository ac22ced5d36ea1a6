// Objects by Boost.MPI: strings, vectors and maps, serialized, broadcast, reduced and gathered.
#include <boost/mpi.hpp>
#include <boost/serialization/map.hpp>
#include <boost/serialization/string.hpp>
#include <boost/serialization/vector.hpp>

#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <vector>

namespace mpi = boost::mpi;

int main()
{
    const mpi::environment environment;
    const mpi::communicator world;
    const int rank = world.rank(), ranks = world.size();

    std::string word = rank == 0 ? "a word from rank 0" : "";
    mpi::broadcast(world, word, 0);
    std::vector<std::string> words;
    mpi::gather(world, word + " at " + std::to_string(rank), words, 0);
    const std::string joined = mpi::all_reduce(world, std::to_string(rank), std::plus<std::string>());

    std::map<int, std::vector<double>> table{{rank, std::vector<double>(1000 * (rank + 1), 0.5)}}, received;
    mpi::request requests[2] = {world.isend((rank + 1) % ranks, 7, table),
        world.irecv((rank + ranks - 1) % ranks, 7, received)};
    mpi::wait_all(requests, requests + 2);
    const auto& [sender, numbers] = *received.begin();
    const long total = mpi::all_reduce(world, static_cast<long>(numbers.size()) * (sender + 1), std::plus<long>());

    const mpi::communicator half = world.split(rank % 2, -rank);
    const int last_of_half = mpi::all_reduce(half, half.rank() == 0 ? rank : 0, mpi::maximum<int>());
    std::vector<int> lasts;
    mpi::gather(world, last_of_half, lasts, 0);

    if (rank == 0) {
        for (const std::string& line : words)
            std::cout << "gathered " << line << '\n';
        std::cout << "joined " << joined << "\ntotal " << total << "\nlasts";
        for (const int last : lasts)
            std::cout << ' ' << last;
        std::cout << '\n';
    }
}
