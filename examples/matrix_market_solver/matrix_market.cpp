// Why not a library: of those in Debian 12, Eigen's loadMarket (unsupported/Eigen/SparseExtra) reads the coordinate
// format alone and leaves the header to its caller; a line that it cannot read becomes a message without a line number
// or an uninitialized value, as does each entry of a pattern, and the call succeeds nevertheless. CHOLMOD's reader
// knows all formats, but every fault is the same "invalid matrix file".
#include "matrix_market.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace {

class MarketFile {
public:
    explicit MarketFile(const std::string& path) : path_(path), file_(path)
    {
        if (!file_) throw std::runtime_error(path + ": " + std::strerror(errno));
    }

    [[noreturn]] void fail(const std::string& words) const
    {
        throw std::runtime_error(path_ + ":" + std::to_string(std::max(line_, 1L)) + ": " + words);
    }

    // The words of the next line, lower case; none at the end of the file.
    const std::vector<std::string_view>& any_line()
    {
        words_.clear();
        if (!std::getline(file_, text_)) {
            if (file_.bad()) throw std::runtime_error(path_ + ": " + std::strerror(errno));
            return words_;
        }
        ++line_;
        std::transform(text_.begin(), text_.end(), text_.begin(), [](unsigned char c) { return std::tolower(c); });
        constexpr const char* blanks = " \t\r";
        const std::string_view text = text_;
        for (std::size_t end = 0, begin; (begin = text.find_first_not_of(blanks, end)) != text.npos;) {
            end = std::min(text.find_first_of(blanks, begin), text.size());
            words_.push_back(text.substr(begin, end - begin));
        }
        return words_;
    }

    // The same of the next line that is neither empty nor a comment.
    const std::vector<std::string_view>& data_line()
    {
        while (any_line().empty() ? !file_.eof() : words_[0][0] == '%') {
        }
        return words_;
    }

    template <class Number>
    Number number(std::string_view word, const char* what) const
    {
        const std::string_view digits = word.substr(word.size() > 1 && word[0] == '+' ? 1 : 0);
        Number value{};
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (error == std::errc::result_out_of_range) fail("'" + std::string(word) + "' is out of range");
        if (error != std::errc() || end != digits.data() + digits.size()) {
            fail("'" + std::string(word) + "' is not " + what);
        }
        return value;
    }

private:
    std::string path_;
    std::ifstream file_;
    std::string text_;
    std::vector<std::string_view> words_;  // parts of text_
    long line_ = 0;
};

struct Header {
    bool coordinate, integer, pattern, symmetric;
};

Header read_header(MarketFile& file)
{
    const auto words = file.any_line();
    if (words.size() != 5 || words[0] != "%%matrixmarket" || words[1] != "matrix") {
        file.fail("a Matrix Market file begins with '%%MatrixMarket matrix <format> <field> <symmetry>'");
    }
    const auto choice = [&](std::string_view word, std::initializer_list<std::string_view> known) {
        if (std::find(known.begin(), known.end(), word) != known.end()) return word;
        std::ostringstream message;
        message << "'" << word << "' is not supported; this program reads";
        for (const std::string_view name : known) message << ' ' << name;
        file.fail(message.str());
    };
    const auto format = choice(words[2], {"coordinate", "array"});
    const auto field = choice(words[3], {"real", "integer", "pattern"});
    const auto symmetry = choice(words[4], {"general", "symmetric"});
    if (format == "array" && field == "pattern") file.fail("an array cannot be a pattern");
    return {format == "coordinate", field == "integer", field == "pattern", symmetry == "symmetric"};
}

MarketMatrix read_values(MarketFile& file)
{
    const Header header = read_header(file);
    const auto size = file.data_line();
    if (size.size() != (header.coordinate ? 3 : 2)) {
        file.fail(header.coordinate ? "expected the numbers of rows, columns and entries"
                                    : "expected the numbers of rows and columns");
    }
    const auto rows = file.number<int>(size[0], "a number of rows");
    const auto columns = file.number<int>(size[1], "a number of columns");
    const auto listed = header.coordinate ? file.number<long long>(size[2], "a number of entries") : 0;
    if (rows < 1 || columns < 1 || listed < 0) file.fail("the matrix has no elements");
    if (header.symmetric && rows != columns) file.fail("a symmetric matrix has as many rows as columns");
    const long long elements = 1LL * rows * columns;
    if (elements > std::numeric_limits<int>::max()) {
        file.fail("the matrix has 2^31 elements or more, too many for the process that reads it");
    }

    MarketMatrix matrix{Eigen::MatrixXd::Zero(rows, columns), header.symmetric};
    const auto value = [&](std::string_view word) {
        if (header.integer) return static_cast<double>(file.number<long long>(word, "an integer"));
        const auto real = file.number<double>(word, "a real number");
        if (!std::isfinite(real)) file.fail("'" + std::string(word) + "' is not finite");
        return real;
    };
    const auto add = [&](int row, int column, double x) {
        matrix.values(row, column) += x;
        if (header.symmetric && row != column) matrix.values(column, row) += x;
    };

    const long long expected = header.coordinate ? listed : header.symmetric ? (elements + rows) / 2 : elements;
    int row = 0, column = 0;  // of an array's next value
    for (long long read = 0; read < expected; ++read) {
        const auto& words = file.data_line();
        if (words.empty()) {
            file.fail("the file ends after " + std::to_string(read) + " of " + std::to_string(expected) + " entries");
        }
        if (header.coordinate) {
            if (words.size() != (header.pattern ? 2 : 3)) {
                file.fail(header.pattern ? "expected a row and a column" : "expected a row, a column and a value");
            }
            row = file.number<int>(words[0], "a row number");
            column = file.number<int>(words[1], "a column number");
            if (row < 1 || row > rows || column < 1 || column > columns) {
                file.fail("entry (" + std::to_string(row) + ", " + std::to_string(column) + ") lies outside the " +
                          std::to_string(rows) + " x " + std::to_string(columns) + " matrix");
            }
            if (header.symmetric && row < column) {
                file.fail("an entry above the diagonal; a symmetric file holds the lower triangle");
            }
            add(row - 1, column - 1, header.pattern ? 1 : value(words[2]));
        } else {
            if (words.size() != 1) file.fail("expected one value");
            add(row, column, value(words[0]));
            if (++row == rows) {
                ++column;
                row = header.symmetric ? column : 0;
            }
        }
    }
    if (!file.data_line().empty()) file.fail("more than the " + std::to_string(expected) + " entries expected");
    return matrix;
}

}  // namespace

MarketMatrix read_matrix_market(const std::string& path)
{
    try {
        MarketFile file(path);
        return read_values(file);
    } catch (const std::bad_alloc&) {
        throw std::runtime_error(path + ": there is no memory for all elements of the matrix");
    }
}

void write_matrix_market(const std::string& path, const Eigen::MatrixXd& matrix)
{
    std::ofstream file(path);
    file.precision(std::numeric_limits<double>::max_digits10);
    file << "%%MatrixMarket matrix array real general\n" << matrix.rows() << ' ' << matrix.cols() << '\n';
    for (const double element : matrix.reshaped()) file << element << '\n';
    file.close();
    if (!file) throw std::runtime_error(path + ": " + std::strerror(errno));
}
