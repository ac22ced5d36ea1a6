// MPI-3.1, sections 6.7 and 8.1.2: attributes of communicators and types, their callbacks, the predefined attributes.
#include "mpi_test.hpp"

#include <cstddef>
#include <vector>

using namespace mpi_test;

namespace {

// What the callbacks of one key have done. A pointer to it is the key's extra state.
struct Log {
    int copies = 0;
    int deletions = 0;
    void* last_deleted = nullptr;
    int copy_result = MPI_SUCCESS;
    int copy_flag = 1;
    int delete_result = MPI_SUCCESS;
    std::vector<int>* order = nullptr;
    int number = 0;
};

// Copies give the address after the original's.
int copy_next(Log& log, void* value, void* out, int* flag)
{
    ++log.copies;
    *flag = log.copy_flag;
    *static_cast<void**>(out) = static_cast<int*>(value) + 1;
    return log.copy_result;
}

int note_deletion(Log& log, void* value)
{
    ++log.deletions;
    log.last_deleted = value;
    if (log.order != nullptr) log.order->push_back(log.number);
    return log.delete_result;
}

int copy_of_comm(MPI_Comm, int, void* extra, void* value, void* out, int* flag)
{
    return copy_next(*static_cast<Log*>(extra), value, out, flag);
}

int delete_of_comm(MPI_Comm, int, void* value, void* extra)
{
    return note_deletion(*static_cast<Log*>(extra), value);
}

int copy_of_type(MPI_Datatype, int, void* extra, void* value, void* out, int* flag)
{
    return copy_next(*static_cast<Log*>(extra), value, out, flag);
}

int delete_of_type(MPI_Datatype, int, void* value, void* extra)
{
    return note_deletion(*static_cast<Log*>(extra), value);
}

// A key of communicators with a log, freed at the end of its scope.
class CommKey {
public:
    explicit CommKey(
        MPI_Comm_copy_attr_function* copy = &copy_of_comm, MPI_Comm_delete_attr_function* destroy = &delete_of_comm)
    {
        MPI_Comm_create_keyval(copy, destroy, &key_, &log_);
    }
    ~CommKey()
    {
        if (key_ != MPI_KEYVAL_INVALID) MPI_Comm_free_keyval(&key_);
    }
    CommKey(const CommKey&) = delete;
    CommKey& operator=(const CommKey&) = delete;

    int get() const { return key_; }
    int& handle() { return key_; }
    Log& log() { return log_; }

    // The value at the communicator; null when there is none.
    void* at(MPI_Comm comm) const
    {
        void* value = nullptr;
        int flag = 0;
        MPI_Comm_get_attr(comm, key_, &value, &flag);
        return flag ? value : nullptr;
    }

private:
    Log log_;
    int key_ = MPI_KEYVAL_INVALID;
};

void* value_of(MPI_Comm comm, int key)
{
    void* value = nullptr;
    int flag = 0;
    MPI_Comm_get_attr(comm, key, &value, &flag);
    return flag ? value : nullptr;
}

MPI_Comm duplicate(MPI_Comm comm = MPI_COMM_WORLD)
{
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(comm, &copy);
    return copy;
}

}  // namespace

MPI_TEST(CommAttribute, IsAbsentUntilSet)
{
    const CommKey key;
    MPI_Comm comm = duplicate();
    int flag = 1;
    void* value = nullptr;
    MPI_Comm_get_attr(comm, key.get(), &value, &flag);
    EXPECT_FALSE(flag);
    int data[2] = {0, 0};
    MPI_Comm_set_attr(comm, key.get(), data);
    EXPECT_EQ(key.at(comm), data);
    EXPECT_EQ(key.at(MPI_COMM_WORLD), nullptr);
    MPI_Comm_free(&comm);
}

MPI_TEST(CommAttribute, DupCallsTheCopyFunction)
{
    CommKey key;
    int data[4] = {};
    MPI_Comm first = duplicate();
    MPI_Comm_set_attr(first, key.get(), data);
    MPI_Comm second = duplicate(first);
    EXPECT_EQ(key.log().copies, 1);
    EXPECT_EQ(key.at(second), data + 1);
    MPI_Comm third = duplicate(second);
    EXPECT_EQ(key.at(third), data + 2);
    EXPECT_EQ(key.at(first), data);
    MPI_Comm_free(&third);
    MPI_Comm_free(&second);
    MPI_Comm_free(&first);
    EXPECT_EQ(key.log().deletions, 3);
}

MPI_TEST(CommAttribute, ACopyFunctionMayDecline)
{
    CommKey key;
    key.log().copy_flag = 0;
    int data = 0;
    MPI_Comm first = duplicate();
    MPI_Comm_set_attr(first, key.get(), &data);
    MPI_Comm second = duplicate(first);
    EXPECT_EQ(key.log().copies, 1);
    EXPECT_EQ(key.at(second), nullptr);
    MPI_Comm_free(&second);
    EXPECT_EQ(key.log().deletions, 0);
    MPI_Comm_free(&first);
    EXPECT_EQ(key.log().deletions, 1);
}

MPI_TEST(CommAttribute, ThePredefinedFunctionsCopyNothingOrTheValueItself)
{
    const CommKey never(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN);
    const CommKey always(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN);
    int data = 0;
    MPI_Comm first = duplicate();
    MPI_Comm_set_attr(first, never.get(), &data);
    MPI_Comm_set_attr(first, always.get(), &data);
    MPI_Comm second = duplicate(first);
    EXPECT_EQ(never.at(second), nullptr);
    EXPECT_EQ(always.at(second), &data);
    MPI_Comm_free(&second);
    MPI_Comm_free(&first);
}

// Only duplication copies attributes: split and create do not.
MPI_TEST(CommAttribute, SplitAndCreateDoNotCopy)
{
    CommKey key;
    int data[2] = {};
    MPI_Comm first = duplicate();
    MPI_Comm_set_attr(first, key.get(), data);
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Comm_split(first, 0, 0, &part);
    EXPECT_EQ(key.at(part), nullptr);
    MPI_Comm_free(&part);
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Comm_group(first, &group);
    MPI_Comm_create(first, group, &part);
    EXPECT_EQ(key.at(part), nullptr);
    MPI_Comm_free(&part);
    MPI_Group_free(&group);
    EXPECT_EQ(key.log().copies, 0);
    MPI_Comm_free(&first);
}

MPI_TEST(CommAttribute, OverwritingAndDeletingCallTheDeleteFunction)
{
    CommKey key;
    int data[2] = {};
    MPI_Comm comm = duplicate();
    MPI_Comm_set_attr(comm, key.get(), &data[0]);
    MPI_Comm_set_attr(comm, key.get(), &data[1]);
    EXPECT_EQ(key.log().deletions, 1);
    EXPECT_EQ(key.log().last_deleted, &data[0]);
    EXPECT_EQ(key.at(comm), &data[1]);
    MPI_Comm_delete_attr(comm, key.get());
    EXPECT_EQ(key.log().deletions, 2);
    EXPECT_EQ(key.log().last_deleted, &data[1]);
    EXPECT_EQ(key.at(comm), nullptr);
    MPI_Comm_free(&comm);
    EXPECT_EQ(key.log().deletions, 2);
}

// A freed key lives on in the attributes that have it.
MPI_TEST(CommAttribute, AFreedKeyServesTheAttributesThatHaveIt)
{
    CommKey key;
    int data[2] = {};
    MPI_Comm comm = duplicate();
    MPI_Comm_set_attr(comm, key.get(), data);
    MPI_Comm_free_keyval(&key.handle());
    EXPECT_EQ(key.get(), MPI_KEYVAL_INVALID);
    EXPECT_EQ(key.log().deletions, 0);
    MPI_Comm copy = duplicate(comm);
    EXPECT_EQ(key.log().copies, 1);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&comm);
    EXPECT_EQ(key.log().deletions, 2);
}

// Section 6.7.2: until then, copies of its handle name it, and freeing it once more changes nothing.
MPI_TEST(CommAttribute, AFreedKeyIsGoneWithTheLastAttributeThatHasIt)
{
    CommKey key;
    int data[2] = {};
    MPI_Comm comm = duplicate();
    MPI_Comm_set_attr(comm, key.get(), data);
    const int kept = key.get();
    MPI_Comm_free_keyval(&key.handle());
    EXPECT_EQ(value_of(comm, kept), data);
    int again = kept;
    MPI_Comm_free_keyval(&again);
    EXPECT_EQ(again, MPI_KEYVAL_INVALID);
    EXPECT_EQ(value_of(comm, kept), data);
    MPI_Comm copy = duplicate(comm);
    EXPECT_EQ(value_of(copy, kept), data + 1);
    MPI_Comm_delete_attr(comm, kept);
    EXPECT_EQ(key.log().deletions, 1);
    MPI_Comm_set_attr(comm, kept, data);
    MPI_Comm_free(&comm);
    EXPECT_EQ(key.log().deletions, 2);
    MPI_Comm_delete_attr(copy, kept);
    EXPECT_EQ(key.log().deletions, 3);
    if (!excepted("a handle that is no longer valid")) {
        const ReturnErrors guard(copy);
        void* value = nullptr;
        int flag = 0;
        EXPECT_CLASS(MPI_ERR_KEYVAL, MPI_Comm_get_attr(copy, kept, &value, &flag));
    }
    MPI_Comm_free(&copy);
}

MPI_TEST(CommAttribute, FailureOfTheCopyFunctionFailsTheDup)
{
    CommKey key;
    int data[2] = {};
    MPI_Comm comm = duplicate();
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_set_attr(comm, key.get(), data);
    key.log().copy_result = MPI_ERR_OTHER;
    MPI_Comm copy = MPI_COMM_WORLD;
    EXPECT_NE(MPI_Comm_dup(comm, &copy), MPI_SUCCESS);
    EXPECT_TRUE(copy == MPI_COMM_NULL);
    copy = MPI_COMM_WORLD;
    EXPECT_NE(MPI_Comm_dup_with_info(comm, MPI_INFO_NULL, &copy), MPI_SUCCESS);
    EXPECT_TRUE(copy == MPI_COMM_NULL);
    if (!excepted("MPI_Comm_idup calls the copy functions")) {
        copy = MPI_COMM_WORLD;
        MPI_Request request = MPI_REQUEST_NULL;
        EXPECT_NE(MPI_Comm_idup(comm, &copy, &request), MPI_SUCCESS);
        EXPECT_TRUE(copy == MPI_COMM_NULL);
        EXPECT_TRUE(request == MPI_REQUEST_NULL);
    }
    key.log().copy_result = MPI_SUCCESS;
    MPI_Comm_free(&comm);
}

MPI_TEST(CommAttribute, FailureOfTheDeleteFunctionKeepsTheAttribute)
{
    CommKey key;
    int data = 0;
    MPI_Comm comm = duplicate();
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_set_attr(comm, key.get(), &data);
    key.log().delete_result = MPI_ERR_OTHER;
    EXPECT_NE(MPI_Comm_delete_attr(comm, key.get()), MPI_SUCCESS);
    key.log().delete_result = MPI_SUCCESS;
    MPI_Comm_free(&comm);
}

MPI_TEST(CommAttribute, WrongKeysAreErrors)
{
    const ReturnErrors guard;
    int data = 0;
    int flag = 0;
    void* value = nullptr;
    int invalid = MPI_KEYVAL_INVALID;
    if (!excepted("MPI_KEYVAL_INVALID gives MPI_ERR_KEYVAL")) {
        EXPECT_CLASS(MPI_ERR_KEYVAL, MPI_Comm_set_attr(MPI_COMM_WORLD, MPI_KEYVAL_INVALID, &data));
        EXPECT_CLASS(MPI_ERR_KEYVAL, MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_KEYVAL_INVALID, &value, &flag));
        EXPECT_CLASS(MPI_ERR_KEYVAL, MPI_Comm_free_keyval(&invalid));
    }
    if (!excepted("predefined attributes are constant")) {
        EXPECT_CLASS(MPI_ERR_KEYVAL, MPI_Comm_set_attr(MPI_COMM_WORLD, MPI_TAG_UB, &data));
        EXPECT_CLASS(MPI_ERR_KEYVAL, MPI_Comm_delete_attr(MPI_COMM_WORLD, MPI_TAG_UB));
    }
}

MPI_TEST(CommAttribute, ManyKeysAndValues)
{
    constexpr int kKeys = 200;
    std::vector<int> keys(kKeys);
    std::vector<int> data(kKeys);
    MPI_Comm comm = duplicate();
    for (std::size_t i = 0; i < kKeys; ++i) {
        MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &keys[i], nullptr);
        MPI_Comm_set_attr(comm, keys[i], &data[i]);
    }
    MPI_Comm copy = duplicate(comm);
    for (std::size_t i = 0; i < kKeys; ++i) {
        void* value = nullptr;
        int flag = 0;
        MPI_Comm_get_attr(copy, keys[i], &value, &flag);
        EXPECT_TRUE(flag);
        EXPECT_EQ(value, &data[i]);
        MPI_Comm_free_keyval(&keys[i]);
    }
    MPI_Comm_free(&copy);
    MPI_Comm_free(&comm);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
// Chapter 15: the names of MPI-1.
MPI_TEST(CommAttribute, TheDeprecatedNamesWorkAlike)
{
    Log log;
    int key = MPI_KEYVAL_INVALID;
    MPI_Keyval_create(&copy_of_comm, &delete_of_comm, &key, &log);
    int data[2] = {};
    MPI_Comm comm = duplicate();
    MPI_Attr_put(comm, key, data);
    MPI_Comm copy = duplicate(comm);
    void* value = nullptr;
    int flag = 0;
    MPI_Attr_get(copy, key, &value, &flag);
    EXPECT_TRUE(flag);
    EXPECT_EQ(value, data + 1);
    MPI_Attr_delete(copy, key);
    EXPECT_EQ(log.deletions, 1);
    MPI_Keyval_free(&key);
    EXPECT_EQ(key, MPI_KEYVAL_INVALID);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&comm);
    EXPECT_EQ(log.deletions, 2);
}

MPI_TEST(CommAttribute, AKeyThatTheDeprecatedNameFreedNamesItsAttributes)
{
    Log log;
    int key = MPI_KEYVAL_INVALID;
    MPI_Keyval_create(&copy_of_comm, &delete_of_comm, &key, &log);
    int data = 0;
    MPI_Comm comm = duplicate();
    MPI_Attr_put(comm, key, &data);
    int freed = key;
    MPI_Keyval_free(&freed);
    freed = key;
    MPI_Keyval_free(&freed);
    EXPECT_EQ(freed, MPI_KEYVAL_INVALID);
    void* value = nullptr;
    int flag = 0;
    MPI_Attr_get(comm, key, &value, &flag);
    EXPECT_TRUE(flag);
    EXPECT_EQ(value, &data);
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(comm, &copy);
    EXPECT_EQ(log.copies, 1);
    MPI_Attr_delete(comm, key);
    EXPECT_EQ(log.deletions, 1);
    MPI_Comm_free(&copy);
    EXPECT_EQ(log.deletions, 2);
    if (!excepted("a handle that is no longer valid")) {
        const ReturnErrors guard(comm);
        EXPECT_CLASS(MPI_ERR_KEYVAL, MPI_Attr_get(comm, key, &value, &flag));
    }
    MPI_Comm_free(&comm);
}
#pragma GCC diagnostic pop

MPI_TEST(TypeAttribute, DupCopiesAndFreeDeletes)
{
    Log log;
    int key = MPI_KEYVAL_INVALID;
    MPI_Type_create_keyval(&copy_of_type, &delete_of_type, &key, &log);
    int data[4] = {};
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(3, MPI_INT, &type);
    MPI_Type_set_attr(type, key, data);
    MPI_Datatype copy = MPI_DATATYPE_NULL;
    MPI_Type_dup(type, &copy);
    EXPECT_EQ(log.copies, 1);
    void* value = nullptr;
    int flag = 0;
    MPI_Type_get_attr(copy, key, &value, &flag);
    EXPECT_TRUE(flag);
    EXPECT_EQ(value, data + 1);
    // Types that are made of it do not inherit.
    MPI_Datatype derived = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(2, type, &derived);
    MPI_Type_get_attr(derived, key, &value, &flag);
    EXPECT_FALSE(flag);
    MPI_Type_free(&derived);
    MPI_Type_delete_attr(copy, key);
    EXPECT_EQ(log.deletions, 1);
    MPI_Type_free(&copy);
    EXPECT_EQ(log.deletions, 1);
    MPI_Type_free_keyval(&key);
    EXPECT_EQ(key, MPI_KEYVAL_INVALID);
    MPI_Type_free(&type);
    EXPECT_EQ(log.deletions, 2);
    EXPECT_EQ(log.last_deleted, data);
}

MPI_TEST(TypeAttribute, AFreedKeyNamesItsAttributesUntilTheLastIsGone)
{
    Log log;
    int key = MPI_KEYVAL_INVALID;
    MPI_Type_create_keyval(&copy_of_type, &delete_of_type, &key, &log);
    int data = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(3, MPI_INT, &type);
    MPI_Type_set_attr(type, key, &data);
    int freed = key;
    MPI_Type_free_keyval(&freed);
    freed = key;
    MPI_Type_free_keyval(&freed);
    void* value = nullptr;
    int flag = 0;
    MPI_Type_get_attr(type, key, &value, &flag);
    EXPECT_TRUE(flag);
    MPI_Datatype copy = MPI_DATATYPE_NULL;
    MPI_Type_dup(type, &copy);
    EXPECT_EQ(log.copies, 1);
    MPI_Type_delete_attr(type, key);
    EXPECT_EQ(log.deletions, 1);
    MPI_Type_free(&copy);
    EXPECT_EQ(log.deletions, 2);
    if (!excepted("a handle that is no longer valid")) {
        const ReturnErrors guard;
        EXPECT_CLASS(MPI_ERR_KEYVAL, MPI_Type_get_attr(type, key, &value, &flag));
    }
    MPI_Type_free(&type);
}

MPI_TEST(TypeAttribute, FailureOfTheCopyFunctionLeavesNoType)
{
    const ReturnErrors guard;
    Log log;
    log.copy_result = MPI_ERR_OTHER;
    int key = MPI_KEYVAL_INVALID;
    MPI_Type_create_keyval(&copy_of_type, &delete_of_type, &key, &log);
    int data[2] = {};
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(3, MPI_INT, &type);
    MPI_Type_set_attr(type, key, data);
    MPI_Datatype copy = MPI_INT;
    EXPECT_NE(MPI_Type_dup(type, &copy), MPI_SUCCESS);
    EXPECT_TRUE(copy == MPI_DATATYPE_NULL);
    MPI_Type_free(&type);
    MPI_Type_free_keyval(&key);
}

MPI_TEST(TypeAttribute, APredefinedTypeMayHaveThem)
{
    int key = MPI_KEYVAL_INVALID;
    MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, &key, nullptr);
    int data = 0;
    MPI_Type_set_attr(MPI_INT, key, &data);
    MPI_Datatype copy = MPI_DATATYPE_NULL;
    MPI_Type_dup(MPI_INT, &copy);
    void* value = nullptr;
    int flag = 0;
    MPI_Type_get_attr(copy, key, &value, &flag);
    EXPECT_TRUE(flag);
    EXPECT_EQ(value, &data);
    MPI_Type_free(&copy);
    MPI_Type_delete_attr(MPI_INT, key);
    MPI_Type_free_keyval(&key);
}

namespace {

// The value of a predefined attribute of MPI_COMM_WORLD; null when it is not set.
const int* predefined(int key)
{
    void* value = nullptr;
    int flag = 0;
    MPI_Comm_get_attr(MPI_COMM_WORLD, key, &value, &flag);
    return flag ? static_cast<const int*>(value) : nullptr;
}

}  // namespace

MPI_TEST(PredefinedAttribute, TagsGoUpTo32767AtLeast)
{
    const int* bound = predefined(MPI_TAG_UB);
    REQUIRE(bound != nullptr);
    EXPECT_GE(*bound, 32767);
    int value = rank();
    MPI_Sendrecv_replace(&value, 1, MPI_INT, (rank() + 1) % size(), *bound, (rank() + size() - 1) % size(), *bound,
        MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT_EQ(value, (rank() + size() - 1) % size());
}

MPI_TEST(PredefinedAttribute, HostAndIoNameRanksOrNone)
{
    const int* host = predefined(MPI_HOST);
    REQUIRE(host != nullptr);
    EXPECT_TRUE(*host == MPI_PROC_NULL || (*host >= 0 && *host < size()));
    const int* io = predefined(MPI_IO);
    REQUIRE(io != nullptr);
    EXPECT_TRUE(*io == MPI_ANY_SOURCE || *io == MPI_PROC_NULL || (*io >= 0 && *io < size()));
}

MPI_TEST(PredefinedAttribute, GlobalTimeIsYesOrNo)
{
    const int* global = predefined(MPI_WTIME_IS_GLOBAL);
    REQUIRE(global != nullptr);
    EXPECT_TRUE(*global == 0 || *global == 1);
}

MPI_TEST(PredefinedAttribute, OptionalOnesHoldSenseWhenSet)
{
    if (const int* universe = predefined(MPI_UNIVERSE_SIZE)) {
        EXPECT_GE(*universe, 1);
    }
    if (const int* number = predefined(MPI_APPNUM)) {
        EXPECT_GE(*number, 0);
    }
    const int* code = predefined(MPI_LASTUSEDCODE);
    REQUIRE(code != nullptr);
    EXPECT_GE(*code, MPI_ERR_LASTCODE);
}
