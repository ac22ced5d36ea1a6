"""A program of FMPL's, over its MPI or its BLACS, that another system's launcher has started as several processes says
so once.

Environment: FMPLRUN, FMPL_SPOKEN_LIBRARIES (mpi, blacs), FMPL_TEST_PROGRAMS, the folder of launch_probe and
spoken_library_probe_<library>.
"""

import os
import re
import subprocess
import unittest

FMPLRUN = os.environ["FMPLRUN"]
FOLDER = os.environ["FMPL_TEST_PROGRAMS"]
PROGRAMS = [[os.path.join(FOLDER, "launch_probe"), "init", "finalize"]] + [
    [os.path.join(FOLDER, f"spoken_library_probe_{library}")]
    for library in os.environ["FMPL_SPOKEN_LIBRARIES"].split()]
LAUNCHERS = {
    "OMPI_COMM_WORLD_SIZE": "OMPI_COMM_WORLD_RANK", "PMI_SIZE": "PMI_RANK", "SLURM_NTASKS": "SLURM_PROCID"}


def errors_of(command, **variables):
    environment = {k: v for k, v in os.environ.items() if not re.match("FMPL_|OMPI_|PMI|SLURM_", k)}
    done = subprocess.run(command, env={**environment, **variables}, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stderr


class OtherLauncher(unittest.TestCase):
    def test_its_first_process_says_so(self):
        for program in PROGRAMS:
            for size, rank in LAUNCHERS.items():
                with self.subTest(program=program, size=size):
                    self.assertRegex(errors_of(program, **{size: "4", rank: "0"}),
                                     rf"^fmpl: warning: .* one of 4 \({size}\).* start the program with fmplrun or "
                                     r"mpiexec\.fmpl\n$")
                    for other in "123":
                        self.assertEqual(errors_of(program, **{size: "4", rank: other}), "")
                    self.assertEqual(errors_of(program, **{size: "1", rank: "0"}), "")
            self.assertIn("(PMIX_RANK)", errors_of(program, PMIX_RANK="0"))
            self.assertEqual(errors_of(program, PMIX_RANK="1"), "")

    def test_several_signs_of_one_launcher_are_one_warning(self):
        text = errors_of(PROGRAMS[0], OMPI_COMM_WORLD_SIZE="2", OMPI_COMM_WORLD_RANK="0", PMIX_RANK="0",
                         SLURM_NTASKS="2", SLURM_PROCID="0")
        self.assertEqual(text.count("\n"), 1)

    def test_a_rank_of_fmplruns_says_nothing(self):
        for program in PROGRAMS:
            self.assertEqual(errors_of([FMPLRUN, "-n", "2", *program], SLURM_NTASKS="4", SLURM_PROCID="0",
                                       PMI_SIZE="4"), "")
            self.assertEqual(errors_of(program), "")


if __name__ == "__main__":
    unittest.main()
