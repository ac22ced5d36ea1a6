"""tools/bench measures FMPL alone where there are no peers, compares what its contenders report, names those that fail,
and leaves nothing behind. But for the first test, stand-ins that copy given results take the place of all launchers.

Environment: FMPL_BENCH_PROGRAMS, the folder of fmplrun, fmpl-bench and mpi-bench.mpi, blacs-bench.fmpl and .mpi,
pdgemm.fmpl and .mpi, dgemm-limit and cpu-distance.
"""
import json
import os
import pathlib
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(SOURCE / "tools"))
from bench_lib.rounds import in_turn, quotient_beside

PROGRAMS = os.environ.get("FMPL_BENCH_PROGRAMS")
# Not built with a sanitizer.
HAS_HEAP = PROGRAMS and (pathlib.Path(PROGRAMS).parent / "lib/libfmpl_rdma_heap.so").exists()
LIMIT_SECONDS = 100

# Copies $0.json, beside itself, to the file that its last argument names; $0.mpi.json, where there is one, for a
# program over FMPL's MPI; $0.processes.json for the option --ranks-as processes.
ANSWER = ('of=; for last; do case $last in *.mpi) [ ! -e "$0.mpi.json" ] || of=.mpi;; '
          'processes) [ ! -e "$0.processes.json" ] || of=.processes;; '
          '*-limit.*) [ ! -e "$0.limit.json" ] || of=.limit;; esac; done; cp "$0$of.json" "$last"')
# The same of an MPI's launcher; for a program of NPB's own, prints what $0.printed has.
ANSWER_OR_PRINT = 'for last; do :; done; case $last in *.x) cat "$0.printed";; *) cp "$0.json" "$last";; esac'
FAIL = 'echo first words; echo last words >&2; exit 3'
# Takes no notice of a request to end, nor does the child that it leaves in a session of its own.
HANG = "trap '' TERM; setsid sh -c 'trap \"\" TERM; echo $$ >> {pids}; sleep 1000' & echo $$ >> {pids}; " \
       "while true; do sleep 1000; done"


def samples(*seconds):
    ordered = sorted(seconds)
    return {"median": ordered[len(ordered) // 2], "samples": list(seconds)}


def answer(*results):
    return {"library": "a library", "compiler": "a compiler", "machine": {"cpus": 2}, "results": list(results)}


def outstanding(few, many):
    """What a launcher reports of the step of that name: seconds with 512 and with 4096 receives."""
    return answer({"bytes": 4, "outstanding": 512, "reps": 8, "seconds": samples(few, few, few)},
                  {"bytes": 4, "outstanding": 4096, "reps": 1, "seconds": samples(many, many, many)})


def product(order, rate, comm_share=0.25):
    """What is reported of the product of this order at so many GFlop/s: by pdgemm.<comm>, and by the other programs."""
    seconds = 2 * order**3 / (rate * 1e9)
    return {**answer({"order": order, "reps": 1, "seconds": samples(seconds, seconds)}),
            "m": order, "seconds": [seconds, seconds], "seconds_median": seconds, "comm_share": comm_share}


def kernel(seconds, communication, verified=True):
    """What a NAS kernel reports: seconds, and those in communication of each rank."""
    return {"library": "a library", "compiler": "a compiler", "seconds": seconds, "verified": verified,
            "communication_seconds": list(communication)}


def exists(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@unittest.skipUnless(PROGRAMS, "FMPL_BENCH_PROGRAMS is not set")
class FmplAlone(unittest.TestCase):
    def quick_run(self, *words):
        """The document and what was printed."""
        with tempfile.TemporaryDirectory(prefix="fmpl-bench-test-") as folder:
            file = pathlib.Path(folder) / "result.json"
            done = subprocess.run([sys.executable, SOURCE / "tools/bench", *words, "--quick", "--peers", "none",
                                   "--programs", PROGRAMS, "--output", file],
                                  capture_output=True, text=True, timeout=LIMIT_SECONDS)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            return json.loads(file.read_text()), done.stdout

    @unittest.skipUnless(HAS_HEAP, "there is no libfmpl_rdma_heap.so")
    def test_the_blacs_are_measured_with_the_heap_in_remote_dma_memory_and_without(self):
        written, printed = self.quick_run("blacs", "--only", "p2p,triangular,barrier,pdgemm")
        figures = {figure["figure"]: figure for figure in written["figures"]}
        self.assertEqual(list(figures), ["p2p-contiguous-8", "p2p-contiguous-8192", "p2p-contiguous-65536",
                                         "p2p-contiguous-1048576", "p2p-upper", "p2p-lower", "barrier-2", "barrier-4",
                                         "barrier-16"], "without a ScaLAPACK there is no PDGEMM")
        for name, figure in figures.items():
            with self.subTest(name):
                self.assertEqual(set(figure["contenders"]), {"fmpl", "fmpl-plain", "mpi"})
                self.assertTrue(all(shown["median"] > 0 for shown in figure["contenders"].values()))
                self.assertIn(figure["label"], printed)
        self.assertIn("--rdma heap", written["commands"]["fmpl"]["p2p, 2 ranks"])
        self.assertIn("--rdma none", written["commands"]["fmpl-plain"]["p2p, 2 ranks"])

    def test_pdgemm_is_measured_by_each_algorithm_beside_dgemm(self):
        written, printed = self.quick_run("pdgemm", "--only", "640")
        figures = {figure["figure"]: figure for figure in written["figures"]}
        self.assertEqual(list(figures), ["pdgemm-640-40-2", "pdgemm-640-40-4", "pdgemm-640-40-16"])
        for name, figure in figures.items():
            with self.subTest(name):
                self.assertEqual(set(figure["contenders"]),
                                 {"fmpl", "fmpl-summa", "fmpl-direct", "pdgemm-mpi", "dgemm"})
                self.assertTrue(all(shown["median"] > 0 for shown in figure["contenders"].values()))
                self.assertEqual(set(figure["of_limit"]), {"fmpl", "fmpl-summa", "fmpl-direct", "pdgemm-mpi"})
                self.assertTrue(0 < figure["contenders"]["fmpl"]["comm_share"] < 1)
                self.assertIsNotNone(figure["met"])
        self.assertIn("M=N=K=640, block 40, 1 round", printed)
        self.assertIn("OpenBLAS", written["libraries"]["dgemm"])

    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "there is one CPU")
    def test_the_distance_of_two_cpus(self):
        program = pathlib.Path(PROGRAMS) / "cpu-distance"
        cpus = [str(cpu) for cpu in sorted(os.sched_getaffinity(0))[:2]]
        done = subprocess.run([program, *cpus], capture_output=True, text=True, timeout=LIMIT_SECONDS)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertGreater(float(done.stdout), 1)
        for words, status, said in (([cpus[0]], 2, "--help explains"), (["x", "1"], 2, "--help explains"),
                                    ([cpus[0], cpus[0]], 1, "give two different CPUs"),
                                    ([cpus[0], "99999"], 1, "CPU 99999 cannot be used"),
                                    ([cpus[0], "1000"], 1, "CPU 1000 cannot be used")):
            with self.subTest(words):
                done = subprocess.run([program, *words], capture_output=True, text=True, timeout=LIMIT_SECONDS)
                self.assertEqual(done.returncode, status, done.stdout + done.stderr)
                self.assertIn(said, done.stderr)

    def test_the_limit_refuses_what_it_cannot_do(self):
        program = pathlib.Path(PROGRAMS) / "dgemm-limit"
        for words, status, said in ((("--order", "0"), 2, "--order '0': give a whole number from 1"),
                                    (("--samples", "2x"), 2, "--samples '2x'"),
                                    (("--size", "3"), 2, "--help explains"),
                                    (("--order", "3", "--json", "/missing/file"), 1, "cannot be written")):
            with self.subTest(words):
                done = subprocess.run([program, *words], capture_output=True, text=True, timeout=LIMIT_SECONDS)
                self.assertEqual(done.returncode, status, done.stdout + done.stderr)
                self.assertIn(said, done.stderr)

    @unittest.skipUnless(HAS_HEAP, "there is no libfmpl_rdma_heap.so")
    def test_a_quick_run_writes_what_it_measured(self):
        written, printed = self.quick_run("--only", "latency,outstanding,barrier")
        figures = {figure["figure"]: figure for figure in written["figures"]}
        self.assertEqual(list(figures), ["one-way-rdma-8", "one-way-rdma-64", "one-way-rdma-1024", "outstanding-512",
                                         "outstanding-4096", "barrier-2", "barrier-4", "barrier-8", "barrier-16"])
        for name, figure in figures.items():
            with self.subTest(name):
                self.assertEqual(set(figure["contenders"]), {"fmpl", "mpi"})
                for shown in figure["contenders"].values():
                    self.assertEqual(len(shown["rounds"]), 1)
                    self.assertEqual(len(shown["rounds"][0]["samples"]), written["samples"])
                    self.assertTrue(0 < shown["quartile1"] <= shown["median"] <= shown["quartile3"])
                self.assertIsNone(figure["ratio"])
                self.assertIsNone(figure["mpi"]["ratio"])
                self.assertIn(figure["label"], printed)
        self.assertGreater(figures["one-way-rdma-8"]["floor"]["median"], 0)
        self.assertEqual(written["failures"], [])
        self.assertEqual(set(written["libraries"]), {"fmpl", "mpi"})
        self.assertIn("over FMPL", written["libraries"]["mpi"])
        self.assertIn("fmplrun -n 16", written["commands"]["fmpl"]["barrier, 16 ranks"])
        for key in ("machine", "compiler", "flags", "commit", "dirty", "rounds", "date"):
            self.assertIn(key, written)


class StandIns(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="fmpl-bench-test-"))
        self.addCleanup(shutil.rmtree, self.root)
        self.pids = self.root / "pids"
        (self.root / "tmp").mkdir()
        for program in ("fmpl-bench", "blacs-bench.fmpl", "pdgemm.fmpl", "dgemm-limit",
                        *(f"{name}.{kind}" for kind in ("mpi", "openmpi", "mpich")
                          for name in ("mpi-bench", "blacs-bench", "pdgemm")),
                        *(f"scalapack-pdgemm{limit}.{kind}" for kind in ("openmpi", "mpich")
                          for limit in ("", "-limit")),
                        *(f"{name}.{kind}" for kind in ("fmpl", "mpi", "openmpi", "mpich")
                          for name in ("ft", "mg", "is", "cg"))):
            self.stand_in(program, "exit 1")
        self.stand_in("pkg-config", "exit 0")
        self.answers("fmplrun", outstanding(2e-7, 2e-7))
        self.answers("mpirun.openmpi", outstanding(6e-7, 8e-6))
        self.answers("mpiexec.mpich", outstanding(4e-7, 9e-6))

    def stand_in(self, name, script):
        path = self.root / name
        path.write_text("#!/bin/sh\n" + script.replace("{pids}", str(self.pids)) + "\n")
        path.chmod(0o755)

    def answers(self, name, document, of=""):
        """of: .mpi for what FMPL's launcher reports of programs over FMPL's MPI, .limit of ScaLAPACK's limit,
        .processes with --ranks-as processes."""
        self.stand_in(name, ANSWER)
        (self.root / f"{name}{of}.json").write_text(json.dumps(document))

    def start(self, *options, what=("--only", "outstanding")):
        environment = {**os.environ, "PATH": f"{self.root}:{os.environ['PATH']}", "TMPDIR": str(self.root / "tmp")}
        return subprocess.Popen([sys.executable, SOURCE / "tools/bench", *what, "--programs", self.root,
                                 "--output", self.root / "result.json", *options],
                                env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def run_bench(self, *options, status=0, **how):
        """The figures (two by the number of receives), the whole document, and what was printed."""
        process = self.start(*options, **how)
        out, err = process.communicate(timeout=LIMIT_SECONDS)
        self.assertEqual(process.returncode, status, out + err)
        document = json.loads((self.root / "result.json").read_text())
        self.assert_nothing_is_left()
        return document["figures"], document, out + err

    def assert_nothing_is_left(self):
        self.assertEqual(list((self.root / "tmp").iterdir()), [])
        if self.pids.exists():
            self.assertEqual([pid for pid in map(int, self.pids.read_text().split()) if exists(pid)], [])

    def test_nobody_is_always_behind_the_same(self):
        for count in range(1, 8):
            odd = count % 2
            rows = [in_turn(list(range(count)), row) for row in range((1 + odd) * count)]
            for place in range(count):
                self.assertEqual({row[place] for row in rows}, set(range(count)), f"place {place} of {count}")
            followers = [(row[i], row[i + 1]) for row in rows for i in range(count - 1)]
            for one in range(count):
                for other in range(count):
                    times = 0 if one == other else 1 + odd
                    self.assertEqual(followers.count((one, other)), times, f"{other} behind {one} of {count}")

    def test_ratios_compare_what_was_measured_in_the_same_round(self):
        def of(*times):
            return {"median": statistics.median(time for _, time in times),
                    "rounds": [{"round": number, "median": time} for number, time in times]}
        # The machine is three times slower in half of the rounds, and the one misses a fast round, the other a slow
        # one.
        self.assertAlmostEqual(quotient_beside(of((1, 2), (2, 6), (3, 6), (4, 2)), of((1, 1), (2, 3), (3, 3))), 2)
        self.assertAlmostEqual(quotient_beside(of((1, 3)), of((2, 1))), 3, msg="no round has both")
        self.assertIsNone(quotient_beside(None, of((1, 2))))

    def test_ratios_are_those_of_the_best_peer(self):
        (few, many), document, printed = self.run_bench("--rounds", "3")
        self.assertEqual((few["best_peer"], many["best_peer"]), ("mpich", "openmpi"))
        self.assertAlmostEqual(few["ratio"], 2)
        self.assertAlmostEqual(many["ratio"], 40)
        self.assertEqual([r["round"] for r in few["contenders"]["openmpi"]["rounds"]], [1, 2, 3])
        self.assertEqual((few["met"], many["met"]), (False, False), "0.2 us are more than 0.1 us")
        self.assertIn("4 B, 512 outstanding", printed)
        self.assertEqual(document["failures"], [])

    def run_pdgemm(self, fmpl, openmpi, mpich, limit):
        """Each with the rate that its launcher is to report, in GFlop/s."""
        flops = 2 * 640**3
        for launcher, of, rate in (("fmplrun", "", fmpl), ("fmplrun", ".limit", limit), ("mpirun.openmpi", "", openmpi),
                                   ("mpiexec.mpich", "", mpich)):
            seconds = flops / (rate * 1e9)
            self.answers(launcher, answer({"order": 640, "reps": 1, "seconds": samples(seconds, seconds)}), of)
        return self.run_bench("--quick", what=("blacs", "--only", "pdgemm"))

    def test_rates_are_compared_with_the_best_peer_and_not_with_fmpl_s_other_column(self):
        figures, document, printed = self.run_pdgemm(fmpl=50, openmpi=40, mpich=20, limit=62.5)
        self.assertEqual([figure["ranks"] for figure in figures], [2, 4, 16])
        for figure in figures:
            self.assertEqual(set(figure["contenders"]), {"fmpl", "fmpl-plain", "mpi", "limit", "openmpi", "mpich"})
            self.assertEqual(figure["best_peer"], "openmpi")
            self.assertAlmostEqual(figure["of_limit"]["fmpl"], 0.8)
            self.assertAlmostEqual(figure["of_limit"]["openmpi"], 0.64)
            self.assertAlmostEqual(figure["ratio"], 1.25)
        self.assertEqual([figure["met"] for figure in figures], [True, True, False], "1.1, 1.1 and 1.6 are expected")
        self.assertRegex(printed, r"FMPL, of the limit +\| best peer / FMPL")
        self.assertRegex(printed,
                         r"pdgemm 640, block 40, 2 ranks, GFlop/s +\| 50\.0 \(50\.0-50\.0\) .*\| 0\.80 +\| 1\.25 +\|")
        self.assertEqual(document["failures"], [])

    def test_fmpl_runs_the_unmodified_file_of_a_peer(self):
        _, document, _ = self.run_pdgemm(fmpl=50, openmpi=40, mpich=20, limit=62.5)
        command = document["commands"]["fmpl"]["pdgemm, 2 ranks"]
        self.assertRegex(command, r"^env OPENBLAS_NUM_THREADS=1 .*fmplrun -n 2 .*--blacs --pdgemm none --rdma heap \S+"
                                  r"/scalapack-pdgemm\.openmpi --order 640")
        self.assertRegex(document["commands"]["mpi"]["pdgemm, 2 ranks"],
                         r"fmplrun -n 2 .*--mpi --rdma heap \S+/scalapack-pdgemm\.mpich --order 640")
        self.assertRegex(document["commands"]["limit"]["pdgemm, 2 ranks"],
                         r"fmplrun -n 2 .*--blacs --pdgemm none --rdma heap \S+/scalapack-pdgemm-limit\.openmpi "
                         r"--order 640")
        (self.root / "scalapack-pdgemm.openmpi").unlink()
        (figure, *_), document, printed = self.run_pdgemm(fmpl=50, openmpi=40, mpich=20, limit=62.5)
        self.assertIn("scalapack-pdgemm.mpich", document["commands"]["fmpl"]["pdgemm, 2 ranks"])
        self.assertEqual(set(figure["contenders"]), {"fmpl", "fmpl-plain", "mpi", "limit", "mpich"})
        self.assertIn("scalapack-pdgemm-limit.mpich", document["commands"]["limit"]["pdgemm, 2 ranks"])
        self.assertIn("there is no scalapack-pdgemm.openmpi", printed)

    def run_products(self, *options, order=640, fmpl=89, mpi=80, openmpi=70, mpich=40, dgemm=100, **how):
        """Each with the rate that it is to report, in GFlop/s. {ranks: figure}, the document and what was printed."""
        self.answers("fmplrun", product(order, mpi), of=".mpi")
        for name, rate in (("fmplrun", fmpl), ("mpirun.openmpi", openmpi), ("mpiexec.mpich", mpich),
                           ("dgemm-limit", dgemm)):
            if rate:
                self.answers(name, product(order, rate))
        figures, document, printed = self.run_bench(*options, what=("pdgemm", "--only", str(order)), **how)
        return {figure["ranks"]: figure for figure in figures}, document, printed

    def test_products_are_compared_with_dgemm_and_with_the_best_mpi(self):
        figures, document, printed = self.run_products("--quick")
        self.assertEqual(list(figures), [2, 4, 16])
        for figure in figures.values():
            self.assertEqual(list(figure["contenders"]),
                             ["fmpl", "fmpl-summa", "fmpl-direct", "scalapack-fmpl", "pdgemm-mpi", "scalapack-mpi",
                              "dgemm", "openmpi", "mpich", "pdgemm-openmpi", "pdgemm-mpich"])
            self.assertAlmostEqual(figure["of_limit"]["fmpl"], 0.89)
            self.assertAlmostEqual(figure["of_limit"]["openmpi"], 0.7)
            self.assertNotIn("dgemm", figure["of_limit"])
            self.assertIn(figure["best_peer"], ("openmpi", "pdgemm-openmpi"))
            self.assertAlmostEqual(figure["ratio"], 89 / 70)
            self.assertEqual(figure["contenders"]["fmpl"]["comm_share"], 0.25)
            self.assertNotIn("comm_share", figure["contenders"]["openmpi"])
        self.assertEqual([figure["met"] for figure in figures.values()], [False, True, True],
                         "0.90, 0.88 and 0.80 are expected")
        for line in (r"M=N=K=640, block 40, 1 round +\| 2 ranks +\| 4 ranks +\| 16 ranks",
                     r"dgemm, GFlop/s +\| 100\.0 \(100\.0-100\.0\)", r"pdgemm\.fmpl, of dgemm +\| 0\.89",
                     r"  expected +\| >= 0\.90 +\| >= 0\.88 +\| >= 0\.80", r"  met +\| NO +\| yes +\| yes",
                     r"  times the best on an MPI +\| 1\.27",
                     r"pdgemm\.mpi, of dgemm +\| 0\.80 .*\n  times the best on an installed MPI +\| 1\.14",
                     r"pdgemm\.fmpl, communication +\| 25\.0%"):
            self.assertRegex(printed, rf"(?m)^{line}")
        self.assertEqual(document["failures"], [])

    def test_products_are_compared_with_the_dgemm_of_their_round(self):
        steps, programs = 5, 4  # three algorithms, and the program over FMPL's MPI
        for name, launches, rates in (("fmplrun", steps * programs, (90, 45, 30)),
                                      ("dgemm-limit", steps, (100, 60, 32))):
            for turn, rate in enumerate(rates):
                (self.root / f"{name}.{turn}").write_text(json.dumps(product(640, rate)))
            self.stand_in(name, 'n=$(cat "$0.launches" 2>&- || echo 0); echo $((n + 1)) > "$0.launches"; '
                                f'for last; do :; done; cp "$0.$((n / {launches}))" "$last"')
        figures, _, _ = self.run_bench("--rounds", "3", "--peers", "none", what=("pdgemm", "--only", "640"))
        self.assertEqual(len(figures), steps)
        for figure in figures:
            self.assertAlmostEqual(figure["of_limit"]["fmpl"], 0.9, msg="the median of 0.9, 0.75 and 0.94")

    def test_each_contender_of_pdgemm_gets_its_program_and_its_threads(self):
        _, document, _ = self.run_products("--rounds", "1")
        commands = document["commands"]
        one_thread, two_threads = r"^env OPENBLAS_NUM_THREADS=1 .*", r"^env OPENBLAS_NUM_THREADS=2 .*"
        algorithms = {"fmpl": "auto", "fmpl-summa": "summa", "fmpl-direct": "direct"}
        for name, algorithm in algorithms.items():
            self.assertRegex(commands[name]["640, 8 ranks"], one_thread + r"fmplrun -n 8 \S+/pdgemm\.fmpl --m 640 "
                             rf"--n 640 --k 640 --nb 40 --algorithm {algorithm} --reps 40$")
        self.assertRegex(commands["scalapack-fmpl"]["640, 2 ranks"], one_thread + r"fmplrun -n 2 .*--blacs --pdgemm "
                         r"none \S+/scalapack-pdgemm\.openmpi --order 640 --block 40 --warmup 1 --reps 1 --samples 40$")
        self.assertRegex(commands["openmpi"]["640, 16 ranks"], one_thread + r"mpirun\.openmpi .*-n 16 .*"
                         r"/scalapack-pdgemm\.openmpi --order 640")
        self.assertRegex(commands["pdgemm-mpich"]["640, 2 ranks"], one_thread + r"mpiexec\.mpich -n 2 .*"
                         r"/pdgemm\.mpich --m 640 --n 640 --k 640 --nb 40 --reps 40$")
        self.assertRegex(commands["pdgemm-mpi"]["640, 2 ranks"],
                         one_thread + r"fmplrun -n 2 .*/pdgemm\.mpi --m 640 --n 640 --k 640 --nb 40 --reps 40$")
        self.assertRegex(commands["scalapack-mpi"]["640, 2 ranks"], one_thread
                         + r"fmplrun -n 2 .*--mpi --rdma heap \S+/scalapack-pdgemm\.mpich --order 640")
        limit = r"taskset -c \S+ \S+/dgemm-limit --order 640 --samples 40$"
        self.assertRegex(commands["dgemm"]["640, 16 ranks"], two_threads + limit)
        self.assertRegex(commands["dgemm"]["640, 1 rank"], one_thread + limit)

    def test_an_mpich_that_has_fewer_cpus_than_ranks_is_measured_once(self):
        figures, document, printed = self.run_products("--rounds", "3")
        rounds = {name: [r["round"] for r in shown["rounds"]]
                  for name, shown in figures[4]["contenders"].items()}
        self.assertEqual(rounds, {**dict.fromkeys(rounds, [1, 2, 3]), "mpich": [1], "pdgemm-mpich": [1]})
        self.assertEqual(len(figures[2]["contenders"]["mpich"]["rounds"]), 3)
        self.assertRegex(document["commands"]["mpich"]["640, 4 ranks"], "--samples 2$")
        self.assertRegex(printed, r"ScaLAPACK on MPICH, GFlop/s +(\| 40\.0 \(40\.0-40\.0\) +){2}\| "
                                  r"40\.0 \(40\.0-40\.0\), 1 round ")

    def test_large_products_are_measured_in_some_rounds_and_without_a_crowded_mpich(self):
        figures, _, printed = self.run_products("--rounds", "5", order=2048)
        for ranks, figure in figures.items():
            with self.subTest(ranks):
                self.assertEqual([r["round"] for r in figure["contenders"]["fmpl"]["rounds"]], [1, 4])
                self.assertEqual(figure["contenders"]["mpich"] is None, ranks in (4, 8, 16))
                self.assertIsNone(figure["expected"])
        self.assertIn("M=N=K=2048, block 64, 2 rounds", printed)

    def test_polling_is_compared_for_each_manner_and_without_mpich_where_ranks_share_cpus(self):
        manners = ("test", "testany", "testsome", "iprobe", "improbe", "ibarrier", "panels", "short-panels", "updates")
        for name, of, seconds in (("fmplrun", ".mpi", 1e-6), ("mpirun.openmpi", "", 2e-6),
                                  ("mpiexec.mpich", "", 1.5e-6)):
            self.answers(name, answer(*({"manner": manner, "reps": 8, "seconds": samples(seconds, seconds)}
                                        for manner in manners)), of=of)
        figures, _, printed = self.run_bench("--quick", what=("polling",))
        self.assertEqual([(figure["figure"], figure["ranks"]) for figure in figures],
                         [(f"{manner}-{ranks}", ranks) for ranks in (2, 4, 16) for manner in manners])
        for figure in figures:
            self.assertEqual(figure["best_peer"], "mpich" if figure["ranks"] == 2 else "openmpi")
            self.assertTrue(figure["met"])
        self.assertRegex(printed, r"panels by MPI_Iprobe, 16 ranks")

    def test_calls_of_an_mpi_are_summed_up_and_those_behind_are_named(self):
        def calls(seconds):
            lines = {"bcast-8": 1, "ibcast-8": 2, "bcast-4096": 4}
            return answer(*({"line": line, "reps": 8, "seconds": samples(times * seconds, times * seconds)}
                            for line, times in lines.items()))
        for name, of, seconds in (("fmplrun", ".mpi", 2e-6), ("mpirun.openmpi", "", 1e-6), ("mpiexec.mpich", "", 5e-6)):
            self.answers(name, calls(seconds), of=of)
        figures, _, printed = self.run_bench("--quick", what=("mpi", "--only", "turn"))
        found = {figure["figure"]: figure for figure in figures}
        self.assertAlmostEqual(found["turn-bcast-8-2"]["ratio"], 0.5)
        self.assertEqual(found["turn-bcast-8-2"]["best_peer"], "openmpi")
        self.assertIsNone(found["turn-bcast-8-4"]["contenders"]["mpich"], "its ranks spin")
        self.assertIsNone(found["turn-gather-8-2"]["ratio"], "it was not measured")
        self.assertRegex(printed, r"turn +\| 2 +\| 24 +\| 0\.50 +\| 0\.50 +\| 3 +\| 3")
        self.assertRegex(printed, r"0\.50  turn: ibcast 8 B, 4 ranks: MPI over FMPL")

    def run_kernels(self, *options, only="mg", **how):
        """{(class, ranks): figure}, the document and what was printed."""
        for name, of, seconds, communication in (("fmplrun", "", 1.0, (0.1, 0.3)), ("fmplrun", ".mpi", 1.1, (0.3, 0.3)),
                                                 ("fmplrun", ".processes", 1.0, (0.2, 0.3)),
                                                 ("mpirun.openmpi", "", 1.5, (0.6, 0.6)),
                                                 ("mpiexec.mpich", "", 2.0, (0.2, 0.4))):
            self.answers(name, kernel(seconds, communication), of=of)
        figures, document, printed = self.run_bench(*options, what=("npb", "--only", only), **how)
        return {(figure["label"][-1], figure["ranks"]): figure for figure in figures}, document, printed

    def test_kernels_are_compared_with_the_best_peer_and_their_communication_too(self):
        figures, document, printed = self.run_kernels("--rounds", "2")
        self.assertEqual(list(figures), [(letter, ranks) for letter in "AB" for ranks in (2, 4, 8, 16)])
        of_two = figures["A", 2]
        self.assertEqual(list(of_two["contenders"]), ["fmpl", "fmpl-processes", "mpi", "openmpi", "mpich"])
        self.assertIsNone(of_two["contenders"]["fmpl-processes"], "each rank has a CPU, and is a process")
        self.assertAlmostEqual(figures["A", 4]["contenders"]["fmpl-processes"]["comm_seconds"], 0.25)
        self.assertAlmostEqual(figures["A", 4]["communication"]["mpi_over_fmpl"], 1.2)
        self.assertEqual(of_two["best_peer"], "openmpi")
        self.assertAlmostEqual(of_two["ratio"], 1.5)
        self.assertAlmostEqual(of_two["mpi"]["ratio"], 1.5 / 1.1)
        self.assertAlmostEqual(of_two["contenders"]["fmpl"]["comm_seconds"], 0.2, msg="the mean of the ranks")
        self.assertAlmostEqual(of_two["contenders"]["openmpi"]["comm_share"], 0.4)
        self.assertAlmostEqual(of_two["communication"]["mpi_over_fmpl"], 1.5)
        self.assertAlmostEqual(of_two["communication"]["best_peer_over_mpi"], 1, msg="MPICH has the least")
        self.assertAlmostEqual(of_two["least_communication"]["mpi_over_fmpl"], 3)
        self.assertAlmostEqual(of_two["least_communication"]["best_peer_over_mpi"], 0.2 / 0.3)
        self.assertEqual(figures["A", 4]["least_communication"], {"mpi_over_fmpl": None, "best_peer_over_mpi": None},
                         "ranks that share CPUs wait while others compute")
        self.assertEqual((of_two["expected"], of_two["met"]), ("original >= 1.2x", None), "it was not measured")
        self.assertEqual((figures["A", 4]["expected"], figures["A", 4]["met"]), ("<= 1.15 of 2 ranks", True))
        for line in (r"MG, class A, 2 rounds +\| 2 ranks +\| 4 ranks +\| 8 ranks +\| 16 ranks",
                     r"FMPL, s +\| 1\.000 \(1\.000-1\.000\)", r"best peer / FMPL +\| 1\.50",
                     r"best peer / MPI over FMPL +\| 1\.36",
                     r"  expected of FMPL +\| original >= 1\.2x +\| <= 1\.15 of 2 ranks", r"  met +\| - +\| yes",
                     r"FMPL, communication +\| 0\.200, 20\.0%", r"FMPL, ranks as processes, s +\| - +\| 1\.000",
                     r"  MPI over FMPL / FMPL, expected > 1 +\| 1\.50 +\| 1\.20",
                     r"MG, class B, 1 round +\| 2 ranks",
                     r"Communication: seconds in its calls, .*; the mean of the ranks\. ",
                     r"FMPL, least of the ranks +\| 0\.100 +\| -",
                     r"MPI over FMPL, least of the ranks +\| 0\.300 +\| -",
                     r"  MPI over FMPL / FMPL, expected > 1 +\| 3\.00 +\| -"):
            self.assertRegex(printed, rf"(?m)^{line}")
        self.assertNotIn("original / FMPL", printed)
        self.assertEqual(document["failures"], [])
        self.assertNotIn("batches", printed)

    def test_each_contender_of_the_kernels_gets_its_program(self):
        _, document, _ = self.run_kernels("--rounds", "1", only="cg")
        commands = document["commands"]
        self.assertRegex(commands["fmpl"]["cg.A, 2 ranks"], r"fmplrun -n 2 --bind-to core \S+/cg\.fmpl --class A$")
        self.assertRegex(commands["fmpl"]["cg.A, 4 ranks"], r"fmplrun -n 4 \S+/cg\.fmpl --class A$")
        self.assertRegex(commands["fmpl-processes"]["cg.A, 4 ranks"],
                         r"fmplrun -n 4 --ranks-as processes \S+/cg\.fmpl --class A$")
        self.assertRegex(commands["mpi"]["cg.B, 8 ranks"], r"fmplrun -n 8 --rdma heap \S+/cg\.mpi --class B$")
        self.assertRegex(commands["openmpi"]["cg.B, 16 ranks"], r"mpirun\.openmpi .*-n 16 .*/cg\.openmpi --class B$")
        self.assertRegex(commands["mpich"]["cg.A, 16 ranks"], r"mpiexec\.mpich -n 16 \S+/cg\.mpich --class A$")

    def test_an_mpich_that_has_fewer_cpus_than_ranks_has_one_round_of_small_kernels(self):
        figures, _, printed = self.run_kernels("--rounds", "3")
        self.assertEqual(len(figures["A", 2]["contenders"]["mpich"]["rounds"]), 3)
        self.assertEqual(len(figures["A", 4]["contenders"]["mpich"]["rounds"]), 1)
        self.assertIsNone(figures["B", 4]["contenders"]["mpich"])
        self.assertEqual(len(figures["B", 2]["contenders"]["fmpl"]["rounds"]), 1, "class B has 0.4 of the rounds")
        self.assertRegex(printed, r"(?m)^MPICH, s +\| 2\.000 \(2\.000-2\.000\) \| 2\.000 \(2\.000-2\.000\), 1 round ")
        figures, _, _ = self.run_kernels("--quick")
        self.assertEqual(list(figures), [("A", 2), ("A", 4), ("A", 16)])
        self.assertIsNone(figures["A", 16]["contenders"]["mpich"])

    def run_beside_original(self, printed):
        (self.root / "npb/bin").mkdir(parents=True, exist_ok=True)
        (self.root / "npb/bin/mg.A.x").write_text("")
        (self.root / "mpirun.openmpi.printed").write_text(printed)
        self.answers("mpirun.openmpi", kernel(1.5, (0.6, 0.6)))
        self.stand_in("mpirun.openmpi", ANSWER_OR_PRINT)
        for of, seconds in (("", 1.0), (".mpi", 1.1)):
            self.answers("fmplrun", kernel(seconds, (0.1, 0.1)), of=of)
        return self.run_bench("--quick", "--peers", "openmpi", "--original", str(self.root / "npb"),
                              what=("npb", "--only", "mg"))

    def test_npb_s_own_programs_are_one_more_column_and_no_peer(self):
        figures, document, printed = self.run_beside_original(
            " MG Benchmark Completed.\n Time in seconds =                     1.30\n Verification    =   SUCCESSFUL\n")
        self.assertRegex(document["commands"]["original"]["mg.A, 4 ranks"],
                         r"mpirun\.openmpi .*-n 4 .*/npb/bin/mg\.A\.x$")
        self.assertEqual({figure["best_peer"] for figure in figures}, {"openmpi"})
        self.assertAlmostEqual(figures[0]["ratio"], 1.5)
        self.assertAlmostEqual(figures[0]["times_original"], 1.3)
        self.assertEqual(figures[0]["met"], True)
        self.assertRegex(printed, r"(?m)^NPB's own on Open MPI, s +\| 1\.300")
        self.assertRegex(printed, r"(?m)^original / FMPL +\| 1\.30")

    def test_an_original_that_does_not_verify_has_failed(self):
        figures, document, _ = self.run_beside_original(" Time in seconds = 1.30\n Verification    = UNSUCCESSFUL\n")
        self.assertIsNone(figures[0]["contenders"]["original"])
        self.assertIsNone(figures[0]["met"])
        self.assertEqual({(failure["contender"], failure["reason"]) for failure in document["failures"]},
                         {("original", "did not verify its result")})

    def test_a_kernel_that_does_not_verify_has_failed(self):
        self.answers("fmplrun", kernel(1, (0, 0), verified=False))
        figures, document, _ = self.run_bench("--quick", "--peers", "none", what=("npb", "--only", "is"), status=1)
        self.assertIsNone(figures[0]["contenders"]["fmpl"])
        self.assertEqual({failure["reason"] for failure in document["failures"]}, {"did not verify its result"})

    def test_fmpl_s_mpi_is_compared_with_the_same_peers_and_is_none_of_them(self):
        self.answers("fmplrun", outstanding(1e-7, 2e-7), of=".mpi")
        (few, many), document, printed = self.run_bench("--rounds", "1")
        self.assertEqual((few["best_peer"], many["best_peer"]), ("mpich", "openmpi"))
        self.assertAlmostEqual(few["ratio"], 2)
        self.assertAlmostEqual(few["mpi"]["ratio"], 4)
        self.assertEqual((few["met"], few["mpi"]["expected"], few["mpi"]["met"]), (False, "< 0.15 us", True))
        self.assertEqual((many["mpi"]["expected"], many["mpi"]["met"]), (None, None))
        self.assertRegex(printed, r"best peer / MPI over FMPL \| expected +\| met\n")
        self.assertRegex(printed, r"\| 2\.00 +\| < 0\.1 us +\| NO +\| 4\.00 +\| < 0\.15 us \| yes\n")
        self.assertRegex(document["commands"]["mpi"]["outstanding, 2 ranks"],
                         r"fmplrun -n 2 .*--rdma heap \S+/mpi-bench\.mpi outstanding .*--memory heap$")
        self.answers("fmplrun", outstanding(1.6e-7, 2e-7), of=".mpi")
        (few, _), _, _ = self.run_bench("--rounds", "1")
        self.assertFalse(few["mpi"]["met"])

    def test_the_messages_of_fmpl_s_mpi_lie_where_those_of_a_peer_do(self):
        latency = answer(*({"bytes": size, "reps": 1, "seconds": samples(1e-7, 1e-7)} for size in (8, 65536, 1 << 20)))
        for launcher in ("fmplrun", "mpirun.openmpi", "mpiexec.mpich"):
            self.answers(launcher, latency)
        figures, document, _ = self.run_bench("--rounds", "1", what=("--only", "latency,rdma,stack"))
        for step, memory in (("latency", "heap"), ("rdma", "heap"), ("stack", "stack")):
            for name in ("mpi", "openmpi"):
                self.assertRegex(document["commands"][name][f"{step}, 2 ranks"], f"--memory {memory}$")
        self.assertEqual({figure["figure"]: figure["mpi"]["expected"]
                          for figure in figures if figure["mpi"]["expected"]},
                         {"one-way-rdma-8": ">= 1.4x", "one-way-rdma-65536": ">= 3x", "one-way-rdma-1048576": ">= 3x",
                          "one-way-stack-65536": ">= 1x", "one-way-stack-1048576": ">= 1x"})
        self.assertEqual({figure["mpi"]["met"] for figure in figures if "stack" in figure["figure"]}, {None, True})
        self.assertFalse(figures[0]["mpi"]["met"], "as fast as the peers is not 1.4 times as fast")

    def test_without_the_programs_of_fmpl_s_mpi_the_others_are_measured(self):
        (self.root / "mpi-bench.mpi").unlink()
        (few, _), _, printed = self.run_bench("--rounds", "1")
        self.assertIsNone(few["mpi"])
        self.assertNotIn("best peer / MPI over FMPL", printed)
        self.assertIn("there is no mpi-bench.mpi in", printed)
        (self.root / "pdgemm.mpi").unlink()
        figures, _, printed = self.run_products("--quick", "--peers", "none")
        self.assertEqual(set(figures[2]["contenders"]), {"fmpl", "fmpl-summa", "fmpl-direct", "dgemm"})
        self.assertIn("there is no pdgemm.mpi in", printed)

    def test_without_the_limit_nothing_is_judged(self):
        (self.root / "dgemm-limit").unlink()
        figures, _, printed = self.run_products("--quick", dgemm=None)
        self.assertEqual((figures[2]["of_limit"], figures[2]["met"]), ({}, None))
        self.assertIn("there is no dgemm-limit", printed)
        self.stand_in("dgemm-limit", FAIL)
        figures, document, _ = self.run_products("--quick", dgemm=None, status=1)
        self.assertEqual(figures[2]["met"], None)
        self.assertEqual({failure["contender"] for failure in document["failures"]}, {"dgemm"})

    def test_a_scalapack_that_is_not_installed_is_named_with_its_packages(self):
        self.stand_in("pkg-config", "exit 1")
        self.answers("fmplrun", answer({"ranks": 2, "reps": 1, "seconds": samples(1e-7, 1e-7)}))
        _, _, printed = self.run_bench("--quick", what=("blacs", "--only", "barrier"))
        self.assertIn("-y openmpi-bin libopenmpi-dev libscalapack-openmpi-dev", printed)
        self.assertIn("-y mpich libmpich-dev libscalapack-mpich-dev", printed)

    def test_arguments_that_do_not_exist_are_refused_before_anything_runs(self):
        for what, words in ((("blas",), "invalid choice: 'blas'"),
                            (("blacs", "--only", "latency"), "'latency' is none of p2p, strided"),
                            (("--only", "p2p"), "'p2p' is none of latency, rdma"),
                            (("pdgemm", "--only", "641"), "'641' is none of 640, 2048, 4096"),
                            (("npb", "--only", "ep"), "'ep' is none of ft, mg, is, cg"),
                            (("npb", "--original", str(self.root)), "there is no program ft.A.x or bin/ft.A.x"),
                            (("--original", str(self.root)), "--original goes with the suite npb")):
            with self.subTest(what):
                process = self.start(what=what)
                _, err = process.communicate(timeout=LIMIT_SECONDS)
                self.assertEqual(process.returncode, 2)
                self.assertIn(words, err)
                self.assertFalse((self.root / "result.json").exists())

    def test_expectations_are_judged(self):
        self.answers("fmplrun", outstanding(5e-8, 5e-8))
        (few, many), _, _ = self.run_bench("--rounds", "1")
        self.assertEqual((few["met"], many["met"]), (True, True))
        self.answers("fmplrun", outstanding(5e-8, 9e-8))
        (few, many), _, _ = self.run_bench("--rounds", "1")
        self.assertEqual((few["met"], many["met"]), (True, False), "the second grows with the receives")

    def run_with_distances(self, near, far, farther_batches=0):
        """One time that one of the programs measures is `far`, one `near`, and so on, where they are started."""
        self.stand_in("cpu-distance",
                      f'if rm "$0.far" 2> /dev/null; then echo {far}; else touch "$0.far"; echo {near}; fi')
        self.answers("fmplrun", {**answer(*({"bytes": size, "reps": 1, "seconds": samples(1e-7, 1e-7)}
                                            for size in (8, 64, 1024))), "farther_batches": farther_batches})
        _, document, printed = self.run_bench("--rounds", "2", "--peers", "none", what=("--only", "latency"))
        return document, printed

    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "there is one CPU")
    def test_where_the_host_moves_the_cpus_two_ranks_are_timed_while_they_are_near(self):
        document, printed = self.run_with_distances(near=110, far=200)
        self.assertIn("--nearer-than 256", document["commands"]["fmpl"]["latency, 2 ranks"], "they may be moved later")
        self.assertNotIn("The host moves", printed)
        document, printed = self.run_with_distances(near=100, far=450)
        self.assertEqual(document["cpu_distance"],
                         {"near_ns": 100, "far_ns": 450, "nearer_than_ns": 256, "turns_left_out": 0})
        for contender in ("fmpl", "mpi"):
            self.assertIn("--nearer-than 256", document["commands"][contender]["latency, 2 ranks"])
        self.assertIn("The host moves the CPUs: a cache line takes 100 ns from one to the other and back at one time, "
                      "450 ns at another", printed)
        self.assertEqual(document["warnings"], [warning for warning in document["warnings"] if "near" not in warning])
        document, printed = self.run_with_distances(near=100, far=450, farther_batches=3)
        self.assertRegex(printed,
                         "warning: the host never left the CPUs near each other for long enough.*FMPL latency, 2 ranks")

    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "there is one CPU")
    def test_cpus_that_are_far_from_each_other_at_first_are_looked_at_for_longer(self):
        self.answers("fmplrun", answer(*({"bytes": size, "reps": 1, "seconds": samples(1e-7, 1e-7)}
                                         for size in (8, 64, 1024))))
        self.stand_in("cpu-distance", '[ -e "$0.first" ] || date +%s > "$0.first"; '
                                      'if [ $(date +%s) -ge $(($(cat "$0.first") + 4)) ]; then echo 100; '
                                      'else echo 450; fi')
        _, document, _ = self.run_bench("--rounds", "1", "--peers", "none", what=("--only", "latency"))
        self.assertEqual(document["cpu_distance"],
                         {"near_ns": 100, "far_ns": 450, "nearer_than_ns": 256, "turns_left_out": 0})

    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "there is one CPU")
    def test_runs_of_kernels_before_or_after_which_the_cpus_were_far_are_left_out(self):
        # They are moved away from each other while FMPL's first run goes on, and back while its MPI's does.
        moved, result = self.root / "moved", self.root / "result"
        result.write_text(json.dumps(kernel(1.0, (0.1, 0.3))))
        self.stand_in("cpu-distance", f'if [ -e {moved} ]; then echo 450; else echo 110; fi')
        self.stand_in("fmplrun", f'for last; do :; done; cp {result} "$last"; echo >> "$0.turns"; '
                                 f'if [ $(wc -l < "$0.turns") -eq 1 ]; then touch {moved}; else rm -f {moved}; fi')
        figures, document, printed = self.run_bench("--rounds", "2", "--peers", "none", what=("npb", "--only", "mg"))
        for figure in figures:
            expected = ([2] if figure["label"].endswith("A") and figure["ranks"] == 2
                        else [1, 2] if figure["label"].endswith("A") else [1])
            for name in ("fmpl", "mpi"):
                self.assertEqual([r["round"] for r in figure["contenders"][name]["rounds"]], expected,
                                 (name, figure["ranks"]))
        self.assertEqual(document["cpu_distance"]["turns_left_out"], 2)
        self.assertIn("2 turns of two ranks are left out", printed)
        self.assertNotIn("timed again", printed)

    def test_rounds_in_which_the_cpus_were_far_are_left_out_where_there_are_others(self):
        def latencies(seconds, farther_batches):
            return json.dumps({**answer(*({"bytes": size, "reps": 1, "seconds": samples(seconds, seconds)}
                                          for size in (8, 64, 1024))), "farther_batches": farther_batches})

        # Of FMPL and its MPI in turn: the first two turns are far, the next four near.
        far, near = self.root / "far", self.root / "near"
        far.write_text(latencies(5e-7, 2))
        near.write_text(latencies(1e-7, 0))
        self.stand_in("fmplrun", f'for last; do :; done; echo >> "$0.turns"; '
                                 f'if [ $(wc -l < "$0.turns") -le 2 ]; then cp {far} "$last"; '
                                 f'else cp {near} "$last"; fi')
        (figure, *_), document, printed = self.run_bench("--rounds", "3", "--peers", "none", what=("--only", "latency"))
        for shown in figure["contenders"].values():
            self.assertEqual([r["round"] for r in shown["rounds"]], [2, 3])
            self.assertAlmostEqual(shown["median"], 1e-7)
        self.assertNotIn("near each other", printed)
        if len(os.sched_getaffinity(0)) > 1:
            self.assertIn("2 turns of two ranks are left out", printed)

    def test_only_the_wanted_peers_are_run(self):
        (few, _), document, _ = self.run_bench("--rounds", "1", "--peers", "openmpi")
        self.assertEqual(set(few["contenders"]), {"fmpl", "mpi", "openmpi"})
        self.assertEqual(set(document["commands"]), {"fmpl", "mpi", "openmpi"})

    def test_peers_that_are_not_installed_are_named_with_their_packages(self):
        self.stand_in("pkg-config", "exit 1")
        (few, _), _, printed = self.run_bench("--rounds", "1")
        self.assertEqual(set(few["contenders"]), {"fmpl", "mpi"})
        self.assertIn("apt-get install --no-install-recommends -y openmpi-bin libopenmpi-dev", printed)
        self.assertIn("apt-get install --no-install-recommends -y mpich libmpich-dev", printed)

    def test_a_peer_that_fails_and_one_that_hangs_are_named_and_the_others_go_on(self):
        self.stand_in("mpirun.openmpi", FAIL)
        self.stand_in("mpiexec.mpich", HANG)
        (few, _), document, printed = self.run_bench("--rounds", "2", "--timeout", "2")
        self.assertEqual(len(few["contenders"]["fmpl"]["rounds"]), 2)
        self.assertIsNone(few["contenders"]["openmpi"])
        self.assertIsNone(few["contenders"]["mpich"])
        self.assertIsNone(few["ratio"])
        reasons = {failure["contender"]: failure["reason"] for failure in document["failures"]}
        self.assertEqual(reasons, {"openmpi": "ended with status 3", "mpich": "did not end within 2 s"})
        self.assertIn("last words", printed)
        self.assertIn("Open MPI failed: outstanding, 2 ranks", printed)

    def test_a_contender_that_leaves_no_results_has_failed(self):
        self.stand_in("fmplrun", "exit 0")
        (few, _), document, _ = self.run_bench("--rounds", "1", status=1)
        self.assertIsNone(few["contenders"]["fmpl"])
        self.assertIn("left no results", document["failures"][0]["reason"])

    def test_an_interrupt_ends_everything(self):
        self.stand_in("mpirun.openmpi", HANG)
        process = self.start("--rounds", "1")
        deadline = time.monotonic() + LIMIT_SECONDS
        while not self.pids.exists() or len(self.pids.read_text().split()) < 2:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=LIMIT_SECONDS)
        self.assertEqual(process.returncode, 130, out + err)
        self.assertIn("interrupted", err)
        self.assertFalse((self.root / "result.json").exists())
        self.assert_nothing_is_left()

    def test_a_file_that_cannot_be_written_is_known_before(self):
        process = self.start("--output", str(self.root / "missing" / "file"))
        _, err = process.communicate(timeout=LIMIT_SECONDS)
        self.assertEqual(process.returncode, 2)
        self.assertIn("nothing was measured", err)


if __name__ == "__main__":
    unittest.main()
