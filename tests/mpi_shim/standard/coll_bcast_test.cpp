// MPI-3.1, sections 5.4 and 5.12.2: broadcast.
#include "collective_calls.hpp"

#include <cstddef>
#include <vector>

using namespace mpi_test;

namespace {

template <class Value>
void broadcast_from_every_root()
{
    for (const int count : {0, 1, 3, 1000, 100000}) {
        for (const int root : roots_for(count, size())) {
            for (const Form form : kForms) {
                delay(static_cast<unsigned>(root + count));
                std::vector<Value> buffer =
                    rank() == root ? elements<Value>(root, count) : untouched<Value>(static_cast<std::size_t>(count));
                call_as(form, MPI_Bcast, MPI_Ibcast, buffer.data(), count, type_of<Value>(), root, MPI_COMM_WORLD);
                EXPECT_EQ(buffer, elements<Value>(root, count)) << "root " << root << ", count " << count;
            }
        }
    }
}

}  // namespace

MPI_TEST(Bcast, EveryRootsIntegersArriveEverywhere)
{
    broadcast_from_every_root<int>();
}

MPI_TEST(Bcast, EveryRootsDoublesArriveEverywhere)
{
    broadcast_from_every_root<double>();
}

MPI_TEST(Bcast, TypesWithTheSameSignatureMayDiffer)
{
    for (const int count : {3, 1000}) {
        const CommittedType strided(CommittedType::strided(count, 3));
        for (int root = 0; root < size(); ++root) {
            for (const Form form : kForms) {
                const std::vector<int> sent = elements(root, count, 1);
                // The root and every second rank use the strided type, the others plain integers.
                if ((rank() - root) % 2 == 0) {
                    std::vector<int> buffer = rank() == root ? spread(sent, 3) : untouched(sent.size() * 3);
                    call_as(form, MPI_Bcast, MPI_Ibcast, buffer.data(), 1, strided.get(), root, MPI_COMM_WORLD);
                    EXPECT_EQ(buffer, spread(sent, 3));
                } else {
                    std::vector<int> buffer = untouched(sent.size());
                    call_as(form, MPI_Bcast, MPI_Ibcast, buffer.data(), count, MPI_INT, root, MPI_COMM_WORLD);
                    EXPECT_EQ(buffer, sent);
                }
            }
        }
    }
}

MPI_TEST(Bcast, AStructuresPaddingStaysUntouched)
{
    struct Record {
        char letter;
        double number;
        int code;
    };
    const int lengths[3] = {1, 1, 1};
    const MPI_Aint displacements[3] = {offsetof(Record, letter), offsetof(Record, number), offsetof(Record, code)};
    const MPI_Datatype types[3] = {MPI_CHAR, MPI_DOUBLE, MPI_INT};
    MPI_Datatype structure = MPI_DATATYPE_NULL;
    MPI_Type_create_struct(3, lengths, displacements, types, &structure);
    MPI_Datatype resized = MPI_DATATYPE_NULL;
    MPI_Type_create_resized(structure, 0, sizeof(Record), &resized);
    MPI_Type_free(&structure);
    const CommittedType record(resized);

    std::vector<unsigned char> bytes(20 * sizeof(Record), 0xEE);
    auto* records = reinterpret_cast<Record*>(bytes.data());
    const int root = size() / 2;
    if (rank() == root) {
        for (int i = 0; i < 20; ++i) {
            records[i].letter = static_cast<char>('a' + i);
            records[i].number = i * 0.5;
            records[i].code = i * i;
        }
    }
    MPI_Bcast(bytes.data(), 20, record.get(), root, MPI_COMM_WORLD);
    for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(records[i].letter, static_cast<char>('a' + i));
        EXPECT_EQ(records[i].number, i * 0.5);
        EXPECT_EQ(records[i].code, i * i);
        EXPECT_EQ(bytes[static_cast<std::size_t>(i) * sizeof(Record) + 1], 0xEE);
    }
}

MPI_TEST(Bcast, ManyInARowKeepTheirOrder)
{
    for (int i = 0; i < 200; ++i) {
        const int root = i % size();
        int value = rank() == root ? i : kUntouched;
        if (i % 17 == 0) delay(static_cast<unsigned>(i));
        MPI_Bcast(&value, 1, MPI_INT, root, MPI_COMM_WORLD);
        EXPECT_EQ(value, i);
    }
}

MPI_TEST(Bcast, AbsoluteAddressesFromTheBottom)
{
    int value = rank() == 0 ? 42 : kUntouched;
    MPI_Aint address = 0;
    MPI_Get_address(&value, &address);
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_hindexed_block(1, 1, &address, MPI_INT, &type);
    const CommittedType committed(type);
    MPI_Bcast(MPI_BOTTOM, 1, committed.get(), 0, MPI_COMM_WORLD);
    EXPECT_EQ(value, 42);
}
