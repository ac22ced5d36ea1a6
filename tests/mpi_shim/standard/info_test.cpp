// MPI-3.1, chapter 9 and section 6.4.4: info objects, and the hints of communicators.
#include "mpi_test.hpp"

#include <set>
#include <string>
#include <vector>

using namespace mpi_test;

namespace {

// An info object, freed at the end of its scope.
class Info {
public:
    Info() { MPI_Info_create(&info_); }
    explicit Info(const Info& other) { MPI_Info_dup(other.info_, &info_); }
    ~Info()
    {
        if (info_ != MPI_INFO_NULL) MPI_Info_free(&info_);
    }
    Info& operator=(const Info&) = delete;

    MPI_Info get() const { return info_; }
    MPI_Info& handle() { return info_; }

    void set(const std::string& key, const std::string& value) { MPI_Info_set(info_, key.c_str(), value.c_str()); }
    // The value; "(none)" when the key is not there.
    std::string value(const std::string& key, int room = MPI_MAX_INFO_VAL) const
    {
        std::vector<char> text(static_cast<std::size_t>(room) + 1, '#');
        int flag = -1;
        MPI_Info_get(info_, key.c_str(), room, text.data(), &flag);
        return flag ? std::string(text.data()) : "(none)";
    }
    int keys() const
    {
        int n = -1;
        MPI_Info_get_nkeys(info_, &n);
        return n;
    }

private:
    MPI_Info info_ = MPI_INFO_NULL;
};

}  // namespace

MPI_TEST(Info, HoldsPairs)
{
    Info info;
    EXPECT_EQ(info.keys(), 0);
    info.set("color", "red");
    info.set("size", "large");
    EXPECT_EQ(info.keys(), 2);
    EXPECT_EQ(info.value("color"), "red");
    EXPECT_EQ(info.value("size"), "large");
    EXPECT_EQ(info.value("Color"), "(none)");
    info.set("color", "blue");
    EXPECT_EQ(info.keys(), 2);
    EXPECT_EQ(info.value("color"), "blue");
    MPI_Info_delete(info.get(), "color");
    EXPECT_EQ(info.keys(), 1);
    EXPECT_EQ(info.value("color"), "(none)");
}

MPI_TEST(Info, NumbersItsKeys)
{
    Info info;
    std::set<std::string> expected;
    for (int i = 0; i < 20; ++i) {
        const std::string key = "key " + std::to_string(i * 7 % 20);
        info.set(key, std::to_string(i));
        expected.insert(key);
    }
    std::set<std::string> found;
    for (int i = 0; i < info.keys(); ++i) {
        char key[MPI_MAX_INFO_KEY + 1] = "";
        MPI_Info_get_nthkey(info.get(), i, key);
        found.insert(key);
    }
    EXPECT_EQ(found, expected);
}

MPI_TEST(Info, CutsAValueToTheRoom)
{
    Info info;
    info.set("alphabet", "abcdefghij");
    if (!excepted("MPI_Info_get cuts a value")) {
        EXPECT_EQ(info.value("alphabet", 4), "abcd");
    }
    EXPECT_EQ(info.value("alphabet", 10), "abcdefghij");
    int length = -1;
    int flag = 0;
    MPI_Info_get_valuelen(info.get(), "alphabet", &length, &flag);
    EXPECT_TRUE(flag);
    EXPECT_EQ(length, 10);
    MPI_Info_get_valuelen(info.get(), "nothing", &length, &flag);
    EXPECT_FALSE(flag);
}

MPI_TEST(Info, ACopyIsIndependent)
{
    Info info;
    info.set("a", "1");
    Info copy(info);
    copy.set("b", "2");
    info.set("a", "3");
    EXPECT_EQ(copy.value("a"), "1");
    EXPECT_EQ(copy.keys(), 2);
    EXPECT_EQ(info.keys(), 1);
    MPI_Info_free(&info.handle());
    EXPECT_TRUE(info.get() == MPI_INFO_NULL);
    EXPECT_EQ(copy.value("b"), "2");
}

MPI_TEST(Info, TakesKeysAndValuesUpToTheLimits)
{
    // In C the constants count the terminating zero.
    const std::string key(MPI_MAX_INFO_KEY - 1, 'k');
    const std::string value(MPI_MAX_INFO_VAL - 1, 'v');
    Info info;
    info.set(key, value);
    EXPECT_EQ(info.value(key), value);
    char found[MPI_MAX_INFO_KEY + 1] = "";
    MPI_Info_get_nthkey(info.get(), 0, found);
    EXPECT_EQ(found, key);
}

MPI_TEST(Info, WrongArgumentsAreErrors)
{
    const ReturnErrors guard;
    Info info;
    const std::string key(MPI_MAX_INFO_KEY + 1, 'k');
    const std::string value(MPI_MAX_INFO_VAL + 1, 'v');
    EXPECT_CLASS(MPI_ERR_INFO_KEY, MPI_Info_set(info.get(), key.c_str(), "x"));
    EXPECT_CLASS(MPI_ERR_INFO_VALUE, MPI_Info_set(info.get(), "x", value.c_str()));
    EXPECT_CLASS(MPI_ERR_INFO_NOKEY, MPI_Info_delete(info.get(), "nothing"));
    EXPECT_CLASS(MPI_ERR_INFO_KEY, MPI_Info_set(info.get(), "", "x"));
    char text[MPI_MAX_INFO_KEY + 1] = "";
    EXPECT_NE(MPI_Info_get_nthkey(info.get(), 0, text), MPI_SUCCESS);
    if (excepted("MPI_INFO_NULL gives MPI_ERR_INFO")) return;
    EXPECT_CLASS(MPI_ERR_INFO, MPI_Info_set(MPI_INFO_NULL, "x", "y"));
    MPI_Info none = MPI_INFO_NULL;
    EXPECT_CLASS(MPI_ERR_INFO, MPI_Info_free(&none));
}

MPI_TEST(Info, TheEnvironmentIsThere)
{
    int n = -1;
    MPI_Info_get_nkeys(MPI_INFO_ENV, &n);
    EXPECT_GE(n, 0);
}

// Section 6.4.4: the hints of a communicator are those that the library knows and uses.
MPI_TEST(Info, HintsThatNoLibraryKnowsAreIgnored)
{
    const char* const unknown = "a hint that no library knows";
    const auto knows = [unknown](MPI_Comm comm) {
        MPI_Info used = MPI_INFO_NULL;
        MPI_Comm_get_info(comm, &used);
        REQUIRE(used != MPI_INFO_NULL);
        int flag = -1;
        int length = 0;
        MPI_Info_get_valuelen(used, unknown, &length, &flag);
        MPI_Info_free(&used);
        return flag != 0;
    };
    Info hints;
    hints.set(unknown, "true");
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_info(comm, hints.get());
    EXPECT_FALSE(knows(comm));
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup_with_info(comm, hints.get(), &copy);
    EXPECT_FALSE(knows(copy));
    MPI_Comm_free(&copy);
    MPI_Comm_free(&comm);
}
