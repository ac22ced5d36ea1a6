"""examples/matrix_market_solver, built from an installed FMPL as its README says, with CMake and with pkg-config
alone."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
EXAMPLE = SOURCE / "examples" / "matrix_market_solver"
SAMPLE = EXAMPLE / "poisson_10x10.mtx"
HERE = pathlib.Path(__file__).resolve().parent


def readme_command(first_words):
    """The command of the README that begins so."""
    found = [line.strip() for line in (EXAMPLE / "README.md").read_text().splitlines()
             if line.startswith("    " + first_words)]
    if len(found) != 1:
        raise AssertionError(f"{len(found)} commands of the README begin with '{first_words}'")
    return found[0]


def coordinate(entries, order, field="real", symmetry="general"):
    lines = [" ".join(map(str, entry)) for entry in entries]
    return "\n".join([f"%%MatrixMarket matrix coordinate {field} {symmetry}", f"{order} {order} {len(lines)}",
                      *lines, ""])


class MatrixMarketSolver(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="fmpl-solver-"))
        cls.addClassCleanup(shutil.rmtree, folder)
        # Not optimized, and both at once: the test is about whether they build. ccache, where it is, knows paths in the
        # folder relative to it.
        env = cls.env = {**os.environ, "CMAKE_GENERATOR": "Ninja", "CMAKE_BUILD_TYPE": "None",
                         "CCACHE_BASEDIR": str(folder), "OPENBLAS_NUM_THREADS": "1"}
        if shutil.which("ccache"):
            env["CMAKE_CXX_COMPILER_LAUNCHER"] = "ccache"
        cls.shell(f"cmake --install '{os.environ['FMPL_BUILD_DIR']}' --prefix '{folder}/fmpl'", folder)
        libraries = str(next((folder / "fmpl").glob("lib*/**/libfmpl.so")).parent)
        env["PKG_CONFIG_PATH"] = libraries + "/pkgconfig"
        builds = {}
        for name, command in (("cmake", readme_command("cmake")), ("pkg_config", readme_command("c++"))):
            shutil.copytree(EXAMPLE, folder / name)
            command = command.replace("$HOME/fmpl/lib", libraries).replace("$HOME", str(folder)).replace("-O2", "-O0")
            builds[name] = subprocess.Popen(command, shell=True, cwd=folder / name, env=env, text=True,
                                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        said = {name: build.communicate()[0] for name, build in builds.items()}
        for name, build in builds.items():
            if build.returncode != 0:
                raise AssertionError(f"the build with {name} ended with {build.returncode}:\n{said[name]}")

    @classmethod
    def shell(cls, command, folder):
        done = subprocess.run(command, shell=True, cwd=folder, env=cls.env, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=120)
        if done.returncode != 0:
            raise AssertionError(f"{command}\nended with {done.returncode}:\n{done.stdout}")
        return done.stdout

    def solve(self, *arguments, ranks=1, build="cmake", launcher_options=()):
        """Exit status and all output of the solver."""
        done = subprocess.run([str(word) for word in (self.folder / "fmpl/bin/fmplrun", "-n", ranks, *launcher_options,
                                                      self.folder / build / "solve", *arguments)],
                              env=self.env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
        return done.returncode, done.stdout

    def file(self, text, name="matrix.mtx"):
        path = self.folder / name
        path.write_bytes(text.encode())
        return path

    def solution(self, *arguments, **options):
        """The values that a run, which must succeed, has written."""
        path = self.folder / "solution.mtx"
        path.unlink(missing_ok=True)
        status, output = self.solve(*arguments, "--output", path, **options)
        self.assertEqual(status, 0, output)
        lines = path.read_text().splitlines()
        self.assertEqual(lines[0], "%%MatrixMarket matrix array real general")
        return [float(value) for value in lines[2:]]

    def assert_near(self, found, expected):
        self.assertEqual(len(found), len(expected))
        for one, other in zip(found, expected):
            self.assertAlmostEqual(one, other, delta=1e-10)

    def assert_fails(self, words, *arguments, status=1, **options):
        found, output = self.solve(*arguments, **options)
        self.assertIn(words, output)
        self.assertEqual(found, status, output)
        self.assertNotIn("passed", output)

    # ---- Solutions ---------------------------------------------------------------------------------------------------

    def test_the_command_of_the_readme_solves_the_sample(self):
        command = readme_command("OPENBLAS_NUM_THREADS=1 fmplrun").replace(
            "fmplrun", f"'{self.folder}/fmpl/bin/fmplrun'")
        for build in ("cmake", "pkg_config"):
            self.assertIn("passed", self.shell(command, self.folder / build).split())

    def test_the_sample_is_what_its_comment_says(self):
        expected = []
        for row in range(1, 101):
            expected.append((row, row, 4))
            expected += [(row + 1, row, -1)] if row % 10 else []
            expected += [(row + 10, row, -1)] if row <= 90 else []
        lines = [line for line in SAMPLE.read_text().splitlines() if not line.startswith("%")]
        self.assertEqual(lines[0], f"100 100 {len(expected)}")
        self.assertEqual([tuple(map(int, line.split())) for line in lines[1:]], expected)

    def test_solves_on_every_grid_with_every_solver(self):
        for build in ("cmake", "pkg_config"):
            for ranks, grid in ((1, "1 x 1"), (4, "2 x 2"), (6, "2 x 3")):
                for solver, routine in (("auto", "pdposv"), ("cholesky", "pdposv"), ("lu", "pdgesv")):
                    with self.subTest(build=build, ranks=ranks, solver=solver):
                        status, output = self.solve(SAMPLE, "--solver", solver, "--nb", 7, "--verify", ranks=ranks,
                                                    build=build)
                        self.assertEqual(status, 0, output)
                        self.assertIn("order 100, symmetric, right-hand sides: 1\n", output)
                        self.assertIn(f"grid      {grid}, blocks of 7\n", output)
                        self.assertIn(f"({routine})", output)
                        self.assertLess(float(re.search(r"eps\) = (\S+),", output)[1]), 16)
                        self.assertTrue(output.endswith("passed\n"), output)

    def test_without_a_file_the_right_hand_side_is_a_times_ones(self):
        self.assert_near(self.solution(SAMPLE, ranks=4), [1.0] * 100)

    def test_several_right_hand_sides_on_more_ranks_than_blocks(self):
        matrix = self.file(coordinate([(1, 1, 2), (2, 2, 4), (3, 1, 1), (3, 3, 8)], 3))
        rhs = self.file("%%MatrixMarket matrix array integer general\n3 2\n2\n8\n17\n-2\n0\n7\n", "rhs.mtx")
        for ranks in (1, 4, 6):
            for block in (1, 64, 1 << 20):
                self.assert_near(self.solution(matrix, "--rhs", rhs, "--nb", block, "--verify", ranks=ranks),
                                 [1, 2, 2, -1, 0, 1])

    def test_a_right_hand_side_of_zeros_has_the_solution_zero(self):
        rhs = self.file("%%MatrixMarket matrix coordinate real general\n100 1 0\n", "rhs.mtx")
        self.assert_near(self.solution(SAMPLE, "--rhs", rhs, "--verify", ranks=4), [0.0] * 100)

    def test_a_symmetric_matrix_that_is_not_positive_definite_is_left_to_lu(self):
        matrix = self.file(coordinate([(i, 41 - i, 1) for i in range(21, 41)], 40, symmetry="symmetric"))
        status, output = self.solve(matrix, "--nb", 4, "--verify", ranks=4)
        self.assertEqual(status, 0, output)
        self.assertIn("LU (pdgesv)", output)
        self.assert_fails("not positive definite; use --solver lu", matrix, "--solver", "cholesky", ranks=4)

    # ---- Formats -----------------------------------------------------------------------------------------------------

    def test_reads_every_format_that_it_promises(self):
        # All of these are [4 1; 3 2] or, symmetric, [4 1; 1 2]; the pattern is [1 0; 1 1]. The solutions tell them
        # apart.
        general, symmetric = [1.0, 3.0], [1.0, 3.0]
        cases = {
            "coordinate real general": ("2 2 4\n1 1 4\n2 1 3e0\n1 2 +1.0\n2 2 .2E1\n", [7, 9], general),
            "coordinate integer general": ("2 2 4\n2 2 2\n1 1 4\n2 1 3\n1 2 1\n", [7, 9], general),
            "coordinate real symmetric": ("2 2 3\n1 1 4\n2 1 1\n2 2 2\n", [7, 7], symmetric),
            "coordinate pattern general": ("2 2 3\n1 1\n2 1\n2 2\n", [1, 4], general),
            "coordinate pattern symmetric": ("2 2 2\n1 1\n2 1\n", [4, 1], general),
            "array real general": ("2 2\n4\n3\n1\n2\n", [7, 9], general),
            "array integer symmetric": ("2 2\n4\n1\n2\n", [7, 7], symmetric),
            # Entries at one place are added up; empty lines, comments, blanks, CR LF and capitals mean nothing.
            "COORDINATE Real General": ("% words\n\n 2\t2 5\r\n1 1 1\r\n%\n1 1 3\n2 1 3\n  1 2 1 \n2 2 2\n\n",
                                        [7, 9], general),
        }
        for header, (body, rhs, expected) in cases.items():
            with self.subTest(header=header):
                matrix = self.file(f"%%MatrixMarket matrix {header}\n{body}")
                values = self.file(f"%%MatrixMarket matrix array real general\n2 1\n{rhs[0]}\n{rhs[1]}", "rhs.mtx")
                self.assert_near(self.solution(matrix, "--rhs", values), expected)

    def test_names_file_and_line_of_what_is_malformed(self):
        real, array = "%%MatrixMarket matrix coordinate real general\n", "%%MatrixMarket matrix array real general\n"
        symmetric = real.replace("general", "symmetric")
        cases = [
            ("", 1, "begins with '%%MatrixMarket"),
            ("2 2 1\n1 1 1\n", 1, "begins with '%%MatrixMarket"),
            ("%%MatrixMarket vector coordinate real general\n", 1, "begins with '%%MatrixMarket"),
            ("%%MatrixMarket matrix coordinate complex general\n", 1, "'complex' is not supported"),
            ("%%MatrixMarket matrix coordinate real skew-symmetric\n", 1, "'skew-symmetric' is not supported"),
            ("%%MatrixMarket matrix dense real general\n", 1,
             "'dense' is not supported; this program reads coordinate array"),
            ("%%MatrixMarket matrix array pattern general\n", 1, "an array cannot be a pattern"),
            (real, 1, "expected the numbers of rows, columns and entries"),
            (real + "2 2\n", 2, "expected the numbers of rows, columns and entries"),
            (real + "% two\n2 x 1\n", 3, "'x' is not a number of columns"),
            (real + "99999999999 2 1\n", 2, "'99999999999' is out of range"),
            (real + "50000 50000 1\n1 1 1\n", 2, "2^31 elements"),
            (real + "0 0 0\n", 2, "no elements"),
            (real + "2 2 -1\n", 2, "no elements"),
            (symmetric + "2 3 1\n1 1 1\n", 2, "as many rows as columns"),
            (symmetric + "2 2 1\n1 2 1\n", 3, "above the diagonal"),
            (real + "2 2 2\n1 1 1\n\n2 2\n", 5, "expected a row, a column and a value"),
            (real + "2 2 2\n1 1 1 0\n2 2 1\n", 3, "expected a row, a column and a value"),
            (real + "2 2 2\n1 1 1\n2 two 1\n", 4, "'two' is not a column number"),
            (real + "2 2 2\n1 1 1\n2 2 1.5x\n", 4, "'1.5x' is not a real number"),
            (real + "2 2 2\n1 1 1\n2 2 nan\n", 4, "'nan' is not finite"),
            (real + "2 2 2\n1 1 1\n2 2 1e999\n", 4, "'1e999' is out of range"),
            (real + "2 2 2\n1 1 1\n3 2 1\n", 4, "entry (3, 2) lies outside the 2 x 2 matrix"),
            (real + "2 2 2\n1 1 1\n0 2 1\n", 4, "entry (0, 2) lies outside the 2 x 2 matrix"),
            (real + "2 2 3\n1 1 1\n2 2 1\n", 4, "ends after 2 of 3 entries"),
            (real + "2 2 1\n1 1 1\n2 2 1\n", 4, "more than the 1 entries expected"),
            (real.replace("real", "integer") + "1 1 1\n1 1 1.5\n", 3, "'1.5' is not an integer"),
            (real.replace("real", "pattern") + "1 1 1\n1 1 1\n", 3, "expected a row and a column"),
            (array + "2 2 4\n", 2, "expected the numbers of rows and columns"),
            (array + "2 2\n1 2\n3 4\n", 3, "expected one value"),
            (array + "2 2\n1\n2\n3\n", 5, "ends after 3 of 4 entries"),
        ]
        for text, line, words in cases:
            with self.subTest(text=text):
                path = self.file(text)
                status, output = self.solve(path)
                self.assertEqual(status, 1, output)
                self.assertIn(f"solve: {path}:{line}: ", output)
                self.assertIn(words, output)

    # ---- Failures ----------------------------------------------------------------------------------------------------

    def test_what_cannot_be_read_ends_every_process(self):
        good, missing = self.file(coordinate([(1, 1, 1)], 1), "good.mtx"), self.folder / "missing.mtx"
        wide = self.file("%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1 1\n", "wide.mtx")
        general = self.file(coordinate([(1, 1, 1), (2, 1, 1), (2, 2, 1)], 2), "general.mtx")
        for ranks in (1, 4, 6):
            with self.subTest(ranks=ranks):
                self.assert_fails(f"solve: {missing}: No such file or directory", missing, ranks=ranks)
                self.assert_fails(f"solve: {missing}: No such file", SAMPLE, "--rhs", missing, ranks=ranks)
                self.assert_fails(f"solve: {self.folder}: Is a directory", self.folder, ranks=ranks)
                self.assert_fails(f"{wide}: the matrix is 2 x 3; it must be square", wide, ranks=ranks)
                self.assert_fails(f"{good}: 1 rows, but {SAMPLE} has 100", SAMPLE, "--rhs", good, ranks=ranks)
                self.assert_fails("not symmetric; use --solver lu", general, "--solver", "cholesky", ranks=ranks)

    def test_a_singular_matrix_is_reported(self):
        matrix = self.file("%%MatrixMarket matrix coordinate pattern general\n40 40 1\n1 1\n")
        for ranks in (1, 4, 6):
            self.assert_fails("the matrix is singular", matrix, "--nb", 8, ranks=ranks)

    def test_verify_sees_a_matrix_that_is_singular_to_working_precision(self):
        hilbert = self.file(coordinate([(i, j, 1 / (i + j - 1)) for i in range(1, 21) for j in range(1, 21)], 20))
        self.assertEqual(self.solve(hilbert, ranks=4)[0], 0)
        self.assert_fails("FAILED", hilbert, "--verify", ranks=4)

    def test_a_wrong_solution_fails(self):
        library = self.folder / "solves_nothing.so"
        self.shell(f"cc -shared -fPIC '{HERE}/solves_nothing.c' -o '{library}'", self.folder)
        for ranks in (1, 4):
            self.assert_fails("FAILED", SAMPLE, "--solver", "lu", ranks=ranks,
                              launcher_options=("-x", f"LD_PRELOAD={library}"))

    def test_a_solution_that_cannot_be_written_fails(self):
        nowhere = self.folder / "nowhere" / "x.mtx"
        self.assert_fails(f"{nowhere}: No such file or directory", SAMPLE, "--output", nowhere, ranks=4)

    def test_wrong_options_are_refused(self):
        for arguments in ((), ("--solver", "qr", SAMPLE), ("--nb", 0, SAMPLE), ("--nb", "x", SAMPLE), (SAMPLE, SAMPLE)):
            with self.subTest(arguments=arguments):
                self.assert_fails("Run with --help for more information.", *arguments, status=2, ranks=4)
        status, output = self.solve("--help", ranks=4)
        self.assertEqual((status, output.count("--verify")), (0, 1))


if __name__ == "__main__":
    unittest.main(verbosity=2)
