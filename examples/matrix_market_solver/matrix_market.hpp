// Reads a matrix from a Matrix Market file, and writes one.
//
// Formats coordinate and array; fields real, integer and pattern (every entry is 1); symmetries general and symmetric,
// of which the file holds the lower triangle. Entries at the same place are added up. Everything else in the header,
// and every line that does not fit it, is an error that names the file and the line.
#pragma once

#include <Eigen/Core>

#include <string>

struct MarketMatrix {
    Eigen::MatrixXd values;  // the whole matrix, both triangles of a symmetric one
    bool symmetric = false;  // as the header says
};

// Throws std::runtime_error with a message in words. The matrix must have less than 2^31 elements.
MarketMatrix read_matrix_market(const std::string& path);

// Writes an array of real numbers, with all digits. Throws std::runtime_error with a message in words.
void write_matrix_market(const std::string& path, const Eigen::MatrixXd& matrix);
