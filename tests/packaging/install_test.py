"""An installed FMPL: the examples build on it through the CMake package and through pkg-config, and run.

The installation is moved before it is used, so that nothing in it may refer to the build tree or to its first place.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = SOURCE / "examples"
HERE = pathlib.Path(__file__).resolve().parent
build_dir = None  # of the FMPL to install; from the command line


def run(*command, **options):
    """Standard output of the command; its failure, with all that it said, is the test's."""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=240, **options)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}\nended with {done.returncode}:\n{done.stdout}")
    return done.stdout


class Installation(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="fmpl-install-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        run("cmake", "--install", build_dir, "--prefix", cls.folder / "first")
        cls.prefix = cls.folder / "moved"
        (cls.folder / "first").rename(cls.prefix)
        cls.fmplrun = cls.prefix / "bin" / "fmplrun"
        cls.libdir = next(cls.prefix.glob("lib*/**/libfmpl.so")).parent
        cls.env = {**os.environ, "PKG_CONFIG_PATH": str(cls.libdir / "pkgconfig")}

    def flags(self, package):
        words = run("pkg-config", "--cflags", "--libs", package, env=self.env).split()
        return [*words, f"-Wl,-rpath,{self.libdir}"]

    def build(self, compiler, source, package, *options):
        program = self.folder / (pathlib.Path(source).name.replace(".", "_") + "_pkgconfig")
        run(compiler, *options, source, "-o", program, *self.flags(package))
        return program

    def assert_ring_of(self, ranks, program):
        self.assertEqual(run(self.fmplrun, "-n", ranks, program).split(), f"the token has met {ranks} ranks".split())

    def test_examples_build_and_run_through_the_cmake_package(self):
        tree = self.folder / "examples"
        run("cmake", "-G", "Ninja", "-S", EXAMPLES, "-B", tree, f"-DCMAKE_PREFIX_PATH={self.prefix}")
        run("cmake", "--build", tree)
        self.assert_ring_of(3, tree / "hello_c")
        self.assert_ring_of(3, tree / "hello_f90")

    def test_examples_build_and_run_through_pkg_config(self):
        self.assert_ring_of(3, self.build("cc", EXAMPLES / "hello.c", "fmpl"))
        self.assert_ring_of(3, self.build("gfortran", EXAMPLES / "hello.f90", "fmpl"))

    def test_a_program_runs_without_fmplrun_as_one_rank(self):
        output = run(self.build("cc", EXAMPLES / "hello.c", "fmpl"))
        self.assertEqual(output, "the token has met 1 ranks\n")

    def test_each_header_for_layers_is_installed_and_compiles_alone(self):
        headers = sorted(path.name for path in (SOURCE / "fmpl" / "include" / "fmpl").glob("*.h"))
        self.assertIn("layers.h", headers)
        flags = run("pkg-config", "--cflags", "fmpl", env=self.env).split()
        for name in headers:
            source = self.folder / f"includes_{name}.c"
            source.write_text(f"#include <fmpl/{name}>\n")
            for compiler in (("cc", "-std=c11"), ("c++", "-std=c++20", "-x", "c++")):
                run(*compiler, "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", *flags, source)

    def test_an_error_thrown_inside_the_library_is_caught_outside(self):
        run(self.build("c++", HERE / "catches_error.cpp", "fmpl", "-std=c++20"))

    def test_a_blacs_program_builds_through_pkg_config_and_runs(self):
        output = run(self.fmplrun, "-n", 2, self.build("cc", HERE / "blacs_pinfo.c", "blacs_fmpl"))
        self.assertEqual(sorted(output.splitlines()), ["process 0 of 2", "process 1 of 2"])

    def mpi_compilers(self):
        return {language: self.prefix / "bin" / f"{name}.fmpl"
                for language, name in (("C", "mpicc"), ("CXX", "mpicxx"), ("Fortran", "mpifort"))}

    def test_cmake_finds_the_mpi_by_its_wrappers(self):
        tree = self.folder / "find_mpi"
        wrappers = [f"-DMPI_{language}_COMPILER={wrapper}" for language, wrapper in self.mpi_compilers().items()]
        run("cmake", "-G", "Ninja", "-S", HERE / "find_mpi", "-B", tree, *wrappers,
            f"-DMPIEXEC_EXECUTABLE={self.prefix / 'bin' / 'mpiexec.fmpl'}")
        run("cmake", "--build", tree)
        self.assertIn("100% tests passed", run("ctest", "--test-dir", tree))
        for language in ("c", "cxx", "f90"):
            program = tree / f"sums_{language}"
            self.assertIn("libmpi_fmpl.so.0", run("readelf", "-d", program))
            self.assertEqual(run(self.prefix / "bin" / "mpiexec.fmpl", "-n", 3, program), "sum 3\n")

    def test_an_mpi_program_builds_through_the_wrappers_and_through_pkg_config(self):
        for language, suffix in (("C", "c"), ("CXX", "cpp"), ("Fortran", "f90")):
            wrapper = self.mpi_compilers()[language]
            source, program = HERE / "find_mpi" / f"sums.{suffix}", self.folder / f"sums_{suffix}"
            self.assertNotIn("-lmpi_fmpl", run(wrapper, "-show", "-c", source))
            run(wrapper, source, "-o", program)
            self.assertEqual(run(self.fmplrun, "-n", 4, program), "sum 6\n")
        self.assertEqual(run(self.fmplrun, "-n", 2, self.build("cc", HERE / "find_mpi" / "sums.c", "mpi_fmpl")),
                         "sum 1\n")

    def test_mpirun_runs_a_program(self):
        self.assertEqual(run(self.prefix / "bin" / "mpirun.fmpl", "-np", 2, "echo", "x"), "x\nx\n")

    def test_programs_of_each_interface_build_through_the_wrappers(self):
        for abi, library in (("mpich", "libmpi_fmpl.so.0"), ("openmpi", "libmpi_fmpl_openmpi.so.0"),
                             ("mpi5", "libmpi_fmpl_mpi5.so.0")):
            for language, source in (("C", HERE / "find_mpi" / "sums.c"), ("Fortran", HERE / "sums_f08.f90")):
                with self.subTest(abi=abi, language=language):
                    program = self.folder / f"sums_{abi}_{language}"
                    run(self.mpi_compilers()[language], "--abi", abi, source, "-o", program)
                    self.assertIn(f"[{library}]", run("readelf", "-d", program))
                    self.assertEqual(run(self.fmplrun, "-n", 3, program), "sum 3\n")

    def test_programs_of_open_mpi_find_its_header_of_extensions(self):
        source = self.folder / "extensions.c"
        source.write_text("#include <mpi.h>\n#include <mpi-ext.h>\n#if MPIX_CUDA_AWARE_SUPPORT\n#error\n#endif\n")
        run(self.mpi_compilers()["C"], "--abi", "openmpi", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", source)

    def test_the_names_of_mpich_are_also_where_they_once_were(self):
        folder = self.libdir / "fmpl" / "mpich-abi"
        self.assertTrue(folder.is_symlink())
        for name in ("libmpich.so.12", "libmpichfort.so.12", "libmpi.so.12", "libmpifort.so.12"):
            self.assertIn(f"[{name}]", run("readelf", "-d", folder / name))

    def scalapack_libraries(self):
        """The linker's names of the shared ScaLAPACK libraries that are installed with their development files."""
        found = [name for name in ("scalapack-openmpi", "scalapack-mpich")
                 if run("cc", f"-print-file-name=lib{name}.so").strip() != f"lib{name}.so"]
        if not found:
            self.skipTest("libscalapack-openmpi-dev is not installed")
        return found

    def test_a_scalapack_program_links_through_the_cmake_package_and_runs(self):
        for name in self.scalapack_libraries():
            library = run("cc", f"-print-file-name=lib{name}.so").strip()
            tree = self.folder / f"{name}_link"
            run("cmake", "-G", "Ninja", "-S", EXAMPLES / "scalapack_link", "-B", tree,
                f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DSCALAPACK_LIBRARY={library}")
            run("cmake", "--build", tree)
            for ranks in (1, 3):
                self.assertEqual(run(self.fmplrun, "-n", ranks, tree / "solve"), f"solved on {ranks} processes \n")

    def test_a_scalapack_program_links_through_pkg_config_and_runs(self):
        for name in self.scalapack_libraries():
            program = self.folder / f"solve_{name}"
            run("gfortran", EXAMPLES / "scalapack_link" / "solve.f90", "-o", program, *self.flags("blacs_fmpl"),
                f"-l{name}", "-llapack", "-lblas")
            self.assertEqual(run(self.fmplrun, "-n", 2, program), "solved on 2 processes \n")

    def test_a_scalapack_program_of_another_blacs_runs_unmodified(self):
        for name in self.scalapack_libraries():
            program = self.folder / f"other_{name}"
            run("gfortran", EXAMPLES / "scalapack_link" / "solve.f90", "-o", program, f"-l{name}", "-llapack", "-lblas")
            self.assertEqual(run(self.fmplrun, "-n", 4, "--blacs", program), "solved on 4 processes \n")

    def test_a_program_of_mpi_and_scalapack_runs_over_both(self):
        source = EXAMPLES / "scalapack_mpi" / "solve.f90"
        for name in self.scalapack_libraries():
            library = run("cc", f"-print-file-name=lib{name}.so").strip()
            tree = self.folder / f"{name}_mpi"
            run("cmake", "-G", "Ninja", "-S", EXAMPLES / "scalapack_mpi", "-B", tree,
                f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DSCALAPACK_LIBRARY={library}")
            run("cmake", "--build", tree)
            wrapped = self.folder / f"mpi_{name}"
            run(self.mpi_compilers()["Fortran"], source, "-o", wrapped, "-lblacs_fmpl", f"-l{name}", "-llapack",
                "-lblas")
            for ranks, program in ((2, tree / "solve"), (5, tree / "solve"), (4, wrapped)):
                self.assertEqual(run(self.fmplrun, "-n", ranks, program), f"two systems solved on {ranks} ranks\n")

    def test_a_program_of_mpich_and_its_scalapack_runs_unmodified_over_both(self):
        if "scalapack-mpich" not in self.scalapack_libraries() or not shutil.which("mpifort.mpich"):
            self.skipTest("MPICH or its ScaLAPACK is not installed")
        program = self.folder / "of_mpich"
        run("mpifort.mpich", EXAMPLES / "scalapack_mpi" / "solve.f90", "-o", program, "-lscalapack-mpich", "-llapack",
            "-lblas")
        self.assertEqual(run(self.fmplrun, "-n", 4, "--mpi", "--blacs", program), "two systems solved on 4 ranks\n")

    def test_the_heap_goes_into_remote_dma_memory(self):
        program = self.build("cc", HERE / "heap_is_remote_dma.c", "fmpl")
        run(self.fmplrun, "-n", 2, "--rdma", "heap", program)

    def test_pdgemm_links_through_pkg_config(self):
        self.build("cc", HERE / "calls_pdgemm.c", "pdgemm_fmpl")

    def test_pdgemm_multiplies_over_blacs_fmpl_and_over_the_mpi(self):
        for comm in ("fmpl", "mpi"):
            output = run(self.fmplrun, "-n", 2, self.prefix / "bin" / f"pdgemm.{comm}", "--m", 60, "--n", 50, "--k", 70,
                         "--nb", 8, "--reps", 1, "--verify")
            self.assertIn("  yes\n", output)

    def test_the_library_exports_its_public_names_alone(self):
        names = run("nm", "-D", "--defined-only", "--format=just-symbols", self.libdir / "libfmpl.so").split()
        public = ("fmpl_", "_ZN4fmpl9run_ranks", "_ZN4fmpl11run_process", "_ZTIN4fmpl5ErrorE", "_ZTSN4fmpl5ErrorE",
                  "_ZTVN4fmpl5ErrorE")
        self.assertIn("fmpl_send", names)
        self.assertEqual([name for name in names if not name.startswith(public)], [])

    def test_installed_programs_and_libraries_refer_to_no_other_place(self):
        for file in [*(self.prefix / "bin").iterdir(), *self.libdir.glob("*.so"),
                     *self.libdir.glob("fmpl/mpi-abi/*")]:
            with open(file, "rb") as opened:
                if opened.read(2) == b"#!":  # a script: the compiler wrappers
                    self.assertNotIn(str(arguments.build_dir), file.read_text())
                    continue
            for line in run("readelf", "-d", file).splitlines():
                if "RUNPATH" in line or "RPATH" in line:
                    for entry in line[line.index("[") + 1:line.index("]")].split(":"):
                        self.assertTrue(entry.startswith("$ORIGIN"), f"{file}: {line}")

    def test_the_readme_shows_the_example_as_it_is(self):
        self.assertIn("```c\n" + (EXAMPLES / "hello.c").read_text() + "```\n", (SOURCE / "README.md").read_text())


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--build-dir", required=True, help="the build tree to install from")
    arguments, rest = parser.parse_known_args()
    build_dir = arguments.build_dir
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
