"""fmplrun --stats, --stats-json and --trace: a known pattern of messages gives exactly its counts, over FMPL, the MPI
shim and the BLACS, and the three forms agree.

Environment: FMPLRUN, FMPL_TEST_PROGRAMS (the folder of the probes), FMPL_STATISTICS_LAYERS (words: fmpl mpi blacs).
"""

import collections
import itertools
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

FMPLRUN = os.environ.get("FMPLRUN", "fmplrun")
PROGRAMS = pathlib.Path(os.environ.get("FMPL_TEST_PROGRAMS", "."))
LAYERS = os.environ.get("FMPL_STATISTICS_LAYERS", "fmpl mpi blacs").split()
LIMIT = 120
SIZES = [0, 8, 72, 1000, 20000, 300000, 3000000]
LONGEST = max(SIZES)


class Pattern:
    """What a probe does: {(from, to): [messages, bytes]}, {(rank, call): [calls, bytes]}."""

    def __init__(self, ranks):
        self.ranks = ranks
        self.sent = collections.defaultdict(lambda: [0, 0])
        self.calls = collections.defaultdict(lambda: [0, 0])
        self.fill()

    def pairs(self):
        return itertools.permutations(range(self.ranks), 2)

    def call(self, rank, name, size=0, count=1):
        self.calls[rank, name][0] += count
        self.calls[rank, name][1] += size * count

    def send(self, name, source, to, size, count=1):
        self.call(source, name, size, count)
        self.message(source, to, size, count)

    def message(self, source, to, size, count=1):
        self.sent[source, to][0] += count
        self.sent[source, to][1] += size * count


class FmplPattern(Pattern):
    def fill(self):
        n = self.ranks
        for source, to in self.pairs():
            for size in SIZES:
                self.send("fmpl_send", source, to, size)
                self.call(to, "fmpl_recv", LONGEST)
            extra = source + 2 * to + 1
            self.send("fmpl_isend", source, to, 8, extra)
            self.call(source, "fmpl_isend_wait", 0, extra)
            self.call(to, "fmpl_irecv", 8, extra)
            self.call(to, "fmpl_irecv_wait", 0, extra)
            self.send("fmpl_send", source, to, 5000, 2)
            self.call(to, "fmpl_recv", 5000, 2)
            self.send("fmpl_send_any", source, to, 10)
            self.send("fmpl_send_any", source, to, 10000)
            self.call(to, "fmpl_recv_any", 10000, 2)
            self.send("fmpl_send", source, to, 33)
            self.call(to, "fmpl_recv", 33)
        for rank in range(n):
            self.send("fmpl_send", rank, rank, 5)
            self.call(rank, "fmpl_irecv", 5)
            self.call(rank, "fmpl_irecv_wait")
            self.call(rank, "fmpl_send", 8)  # refused: no such rank
            self.call(rank, "fmpl_bcast", 100000)
            self.call(rank, "fmpl_allreduce", 8)
            for name in ("fmpl_sendbuf_set", "fmpl_barrier", "fmpl_comm_create_group", "fmpl_finalize"):
                self.call(rank, name)


class MpiPattern(Pattern):
    def fill(self):
        n = self.ranks
        for source, to in self.pairs():
            for size in SIZES:
                self.send("MPI_Send", source, to, size)
                self.call(to, "MPI_Recv", LONGEST)
            extra = source + 2 * to + 1
            self.send("MPI_Isend", source, to, 8, extra)
            self.call(to, "MPI_Irecv", 8, extra)
            self.call(source, "MPI_Wait", 0, extra)
            self.call(to, "MPI_Wait", 0, extra)
            self.send("MPI_Ssend", source, to, 100)
            self.call(to, "MPI_Recv", 100)
        for rank in range(n):
            following = (rank + 1) % n
            self.send("MPI_Sendrecv", rank, following, 40)
            self.message(rank, following, 16, 3)
            self.call(rank, "MPI_Startall", 0, 3)
            self.call(rank, "MPI_Waitall", 0, 3)
            self.call(rank, "MPI_Request_free", 0, 2)
            self.send("MPI_Sendrecv", rank, rank, 3)
            self.call(rank, "MPI_Send", 8)
            self.call(rank, "MPI_Bcast", 4000)
            self.call(rank, "MPI_Allreduce", 8)
            self.call(rank, "MPI_Alltoall", 40 * n)
            for name in ("Init", "Comm_rank", "Comm_size", "Alloc_mem", "Send_init", "Recv_init", "Comm_split",
                         "Type_vector", "Type_commit", "Type_free", "Comm_free", "Barrier", "Free_mem", "Finalize"):
                self.call(rank, "MPI_" + name)
        if n > 1:
            self.send("MPI_Send", 0, n - 1, 40000)
            self.call(n - 1, "MPI_Recv", 40000)


class BlacsPattern(Pattern):
    def fill(self):
        for source, to in self.pairs():
            for send, receive, size, count in (("Cdgesd2d", "Cdgerv2d", 48, 1), ("Cdgesd2d", "Cdgerv2d", 80000, 1),
                                               ("Cdtrsd2d", "Cdtrrv2d", 80, 1),
                                               ("Cigesd2d", "Cigerv2d", 4, source + 1)):
                self.send(send, source, to, size, count)
                self.call(to, receive, size, count)
        for rank in range(self.ranks):
            self.call(rank, "Cdgsum2d", 160)
            self.call(rank, "Cdgebs2d" if rank == 0 else "Cdgebr2d", 20000)
            # The first one starts FMPL, which counts as a call too.
            self.call(rank, "blacs_pinfo")
            for name in ("Cblacs_pinfo", "Cblacs_get", "Cblacs_gridmap", "Cblacs_barrier", "Cblacs_gridexit",
                         "Cblacs_exit"):
                self.call(rank, name)


PATTERNS = {"fmpl": FmplPattern, "mpi": MpiPattern, "blacs": BlacsPattern}


def probe(layer):
    return str(PROGRAMS / f"statistics_probe_{layer}")


def environment(**changes):
    result = {k: v for k, v in os.environ.items() if not re.match(r"FMPL_|OMP_|OPENBLAS_", k)}
    # The probe of FMPL makes a mistake on purpose.
    result.update(FMPL_ERRORS="return", **changes)
    return result


class StatisticsTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.json = pathlib.Path(self.folder.name) / "statistics.json"
        self.trace = pathlib.Path(self.folder.name) / "trace.json"

    def run_job(self, *arguments, status=0, **changes):
        result = subprocess.run([FMPLRUN, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, timeout=LIMIT, env=environment(**changes))
        self.assertEqual(result.returncode, status, result.stderr)
        return result

    def observe(self, ranks, *program, status=0, **changes):
        """The text, the JSON and the trace of one job."""
        result = self.run_job("-n", str(ranks), "--stats", "--stats-json", str(self.json), "--trace", str(self.trace),
                              *program, status=status, **changes)
        return result.stderr, json.loads(self.json.read_text()), json.loads(self.trace.read_text())

    def check_text(self, text, document):
        """The text says what the JSON does."""
        n = document["ranks"]
        calls = {(r["rank"], c["call"]): (c["count"], c["bytes"])
                 for r in document["by_rank"] for c in r.get("calls", [])}
        found = {(int(m[1]), m[2]): (int(m[3]), int(m[4]))
                 for m in re.finditer(r"(?m)^ +(\d+)   (\S+) +(\d+) +(\d+) +\d+\.\d{6}$", text)}
        self.assertEqual(found, calls)
        for rank in document["by_rank"]:
            if rank["end"] == "absent":
                self.assertRegex(text, r"(?m)^ +%d   did not call fmpl_init$" % rank["rank"])
                continue
            self.assertRegex(text, r"(?m)^ +%d +%.6f +%.6f +%.6f +%.1f %%" % (
                rank["rank"], rank["session_seconds"], rank["computation_seconds"], rank["communication_seconds"],
                100 * rank["communication_share"]))
        for key in ("messages", "bytes"):
            rows = re.search(r"(?m)^  %s +to 0.*\n((?:  +from .*\n)*)" % key, text)
            if rows is None:
                self.assertFalse(any(r.get("sent") for r in document["by_rank"]))
                continue
            table = {}
            for line in rows[1].splitlines():
                _, source, *cells = line.split()
                self.assertEqual(len(cells), n)
                for to, cell in enumerate(cells):
                    if cell != "-":
                        table[int(source), to] = int(cell)
            self.assertEqual(table, {(r["rank"], s["to"]): s[key] for r in document["by_rank"] for s in r["sent"]})

    def check_trace(self, trace, document):
        """All ranks have a line with a name; on it calls that neither overlap nor leave the session, as many as are
        counted."""
        names = {e["tid"]: e["args"]["name"] for e in trace["traceEvents"] if e["name"] == "thread_name"}
        self.assertEqual(sorted(names.values()), sorted(f"rank {r}" for r in range(document["ranks"])))
        for rank in document["by_rank"]:
            about = trace["otherData"]["ranks"][rank["rank"]]
            self.assertEqual((about["rank"], about["end"]), (rank["rank"], rank["end"]))
            line = next(t for t, name in names.items() if name == f"rank {rank['rank']}")
            events = [e for e in trace["traceEvents"] if e["ph"] == "X" and e["tid"] == line]
            finished = [e for e in events if not e["args"].get("unfinished")]
            self.assertEqual(len(finished), about["calls"])
            if about["calls_dropped"] == 0:
                counted = {c["call"]: [c["count"], c["bytes"]] for c in rank.get("calls", [])}
                traced = collections.defaultdict(lambda: [0, 0])
                for e in finished:
                    traced[e["name"]][0] += 1
                    traced[e["name"]][1] += e["args"]["bytes"]
                self.assertEqual(dict(traced), counted)
            # In whole nanoseconds: sums of decimal fractions are not exact.
            end = round(1000 * about["session_begin_us"])
            for e in events:
                self.assertGreaterEqual(round(1000 * e["ts"]), end, e)
                self.assertGreaterEqual(e["dur"], 0)
                end = round(1000 * e["ts"]) + round(1000 * e["dur"])
            self.assertLessEqual(end, round(1000 * about["session_end_us"]))
            self.assertEqual([e["args"].get("unfinished", False) for e in events].count(True),
                             1 if rank.get("unfinished_call") else 0)

    def check_times(self, document):
        for rank in document["by_rank"]:
            if rank["end"] == "absent":
                continue
            # In whole nanoseconds, so that text and JSON round the same numbers.
            calls = rank["calls"] + ([rank["unfinished_call"]] if rank["unfinished_call"] else [])
            ns = sum(round(1e9 * c["seconds"]) for c in calls)
            self.assertEqual(round(1e9 * rank["communication_seconds"]), ns)
            self.assertEqual(round(1e9 * rank["computation_seconds"]) + ns, round(1e9 * rank["session_seconds"]))
            self.assertEqual(rank["communication_share"], ns / round(1e9 * rank["session_seconds"]))

    def test_a_known_pattern_has_exactly_its_counts(self):
        for layer, ranks in itertools.product(LAYERS, (1, 2, 3, 4)):
            with self.subTest(layer=layer, ranks=ranks):
                text, document, trace = self.observe(ranks, probe(layer))
                pattern = PATTERNS[layer](ranks)
                self.assertEqual({(r["rank"], s["to"]): [s["messages"], s["bytes"]]
                                  for r in document["by_rank"] for s in r["sent"]}, dict(pattern.sent))
                self.assertEqual({(r["rank"], c["call"]): [c["count"], c["bytes"]]
                                  for r in document["by_rank"] for c in r["calls"]}, dict(pattern.calls))
                self.assertEqual((document["format"], document["version"], document["status"]),
                                 ("fmpl-statistics", 1, 0))
                self.assertEqual(document["program"], [probe(layer)])
                self.assertEqual({r["end"] for r in document["by_rank"]}, {"finalized"})
                self.assertEqual({r["messages_not_counted"] for r in document["by_rank"]}, {0})
                self.check_times(document)
                self.check_text(text, document)
                self.check_trace(trace, document)

    def test_every_way_of_a_message_counts_it_once(self):
        ways = [{"FMPL_ENGINE": "unmapped"}, {"FMPL_PRIVATE_COPY": "staged"}, {"FMPL_COLLECTIVES": "tree"},
                {"FMPL_MPI_COLLECTIVES": "schedule"}, {"FMPL_MPI_EAGER": "0"}]
        # A build with a sanitizer has no such library.
        if list((pathlib.Path(FMPLRUN).parent / "..").glob("lib*/**/libfmpl_rdma_heap.so")):
            ways.append({"FMPL_RDMA": "heap"})
        for changes in ways:
            for layer in LAYERS:
                with self.subTest(changes=changes, layer=layer):
                    self.run_job("-n", "3", "--stats-json", str(self.json), probe(layer), **changes)
                    document = json.loads(self.json.read_text())
                    self.assertEqual({(r["rank"], s["to"]): [s["messages"], s["bytes"]]
                                      for r in document["by_rank"] for s in r["sent"]}, dict(PATTERNS[layer](3).sent))

    def test_a_trace_that_is_full_says_what_it_lacks(self):
        text, document, trace = self.observe(2, probe("fmpl"), FMPL_TRACE_EVENTS="10")
        for rank in range(2):
            calls = sum(c["count"] for c in document["by_rank"][rank]["calls"])
            about = trace["otherData"]["ranks"][rank]
            self.assertEqual((about["calls"], about["calls_dropped"]), (10, calls - 10))
            marks = [e for e in trace["traceEvents"] if e["ph"] == "i" and e["tid"] == rank + 1]
            self.assertEqual([m["name"] for m in marks], [f"{calls - 10} calls from here on are not in the trace"])
        self.assertRegex(text, r"the trace lacks \d+ of \d+ calls, of 2 ranks.*FMPL_TRACE_EVENTS=10 ")
        self.check_trace(trace, document)

    def test_more_calls_than_one_piece_of_memory_holds(self):
        text, document, trace = self.observe(2, probe("fmpl"), "1000")
        self.assertGreater(document["by_rank"][0]["calls"][0]["count"], 1)
        self.assertGreater(trace["otherData"]["ranks"][0]["calls"], 8192)
        self.assertEqual(trace["otherData"]["ranks"][0]["calls_dropped"], 0)
        self.check_trace(trace, document)
        self.assertNotIn("lacks", text)

    def test_a_job_that_dies_still_says_what_there_is(self):
        launch_probe = str(PROGRAMS / "launch_probe")
        text, document, trace = self.observe(3, launch_probe, "init", "exchange", "0:recv=1", "1:exit=3", "2:recv=1",
                                             status=3)
        self.assertEqual(document["status"], 3)
        self.assertEqual([r["end"] for r in document["by_rank"]], ["died"] * 3)
        self.assertEqual([r["sent"] for r in document["by_rank"]],
                         [[{"to": (r + 1) % 3, "messages": 1, "bytes": 4}] for r in range(3)])
        self.assertIsNone(document["by_rank"][1]["unfinished_call"])
        for rank in (0, 2):
            call = document["by_rank"][rank]["unfinished_call"]
            self.assertEqual((call["call"], call["peer"], call["index"], call["bytes"]), ("fmpl_recv", 1, 7, 4))
        self.assertRegex(text, r"(?m)^ +0 .*did not finalize, ended in fmpl_recv with rank 1 after ")
        self.check_times(document)
        self.check_text(text, document)
        self.check_trace(trace, document)

    def test_ranks_that_never_join(self):
        text, document, trace = self.observe(2, "true")
        self.assertIn("no rank called fmpl_init", text)
        self.assertEqual([r["end"] for r in document["by_rank"]], ["absent"] * 2)
        self.check_trace(trace, document)

    def test_many_ranks_show_their_heaviest_pairs(self):
        text, document, _ = self.observe(9, str(PROGRAMS / "launch_probe"), "init", "exchange", "finalize")
        self.assertIn("who sent most to whom", text)
        for rank in range(9):
            self.assertRegex(text, r"(?m)^ +%d +%d +1 +4$" % (rank, (rank + 1) % 9))
            self.assertEqual(document["by_rank"][rank]["sent"], [{"to": (rank + 1) % 9, "messages": 1, "bytes": 4}])

    def test_collective_calls_are_in_no_matrix_and_the_text_says_so(self):
        text, document, _ = self.observe(2, str(PROGRAMS / "launch_probe"), "init", "barrier", "finalize")
        self.assertIn("no point-to-point messages; collective calls are in the table of calls alone", text)
        self.assertEqual([r["sent"] for r in document["by_rank"]], [[], []])

    def test_a_file_that_cannot_be_written_is_an_error_before_anything_starts(self):
        for option in ("--stats-json", "--trace"):
            result = self.run_job("-n", "2", option, "/nowhere/file", "echo", "started", status=2)
            self.assertEqual(result.stdout, "")
            self.assertRegex(result.stderr, option + " /nowhere/file: cannot be written: .*nothing was started")
        result = self.run_job("--trace", "x", "--stats-json", "x", "echo", "started", status=2)
        self.assertIn("name one file", result.stderr)

    def test_a_file_that_fails_later_is_an_error(self):
        result = self.run_job("-n", "2", "--trace", "/dev/full", probe("fmpl"), status=1)
        self.assertIn("/dev/full cannot be written", result.stderr)

    def test_a_wrong_number_of_events(self):
        for words in ("0", "-1", "many", "1e3", "99999999999999999999", "99999999999"):
            result = self.run_job("-n", "2", "--trace", str(self.trace), "echo", "started", status=2,
                                  FMPL_TRACE_EVENTS=words)
            self.assertEqual(result.stdout, "")
            self.assertRegex(result.stderr, "FMPL_TRACE_EVENTS|at most")

    def test_names_of_calls_cannot_steer_the_terminal(self):
        odd = "Odd\x1b[31m\u00e4\n\x9b\x7f\t"
        shown = "Odd\\x1b[31m\u00e4\\n\\xc2\\x9b\\x7f\\t"
        text, document, trace = self.observe(1, str(PROGRAMS / "launch_probe"), "init", "call=" + odd,
                                             "exit=3", status=3)
        self.assertIn("ended in %s after" % shown, text)
        self.assertNotIn("\x1b", text)
        self.assertEqual(document["by_rank"][0]["unfinished_call"]["call"], odd)

    def test_names_are_json_whatever_their_bytes(self):
        odd = b"say=\"\\\x01\xff\xc3\xa4"
        command = [os.fsencode(FMPLRUN), b"--stats-json", os.fsencode(self.json),
                   os.fsencode(PROGRAMS / "launch_probe"), b"init", odd, b"finalize"]
        self.assertEqual(subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=LIMIT,
                                        env=environment()).returncode, 0)
        self.assertEqual(json.loads(self.json.read_text())["program"][2], 'say="\\\x01\ufffd\u00e4')


if __name__ == "__main__":
    unittest.main(verbosity=2)
