#!/usr/bin/env python3
"""fmpl-bench runs each of its benchmarks on small messages, verifies what arrives and writes what it measured; so does
mpi-bench.mpi, the same over FMPL's MPI, but for those of what only FMPL offers.

Environment: FMPLRUN, the launcher; FMPL_BENCH, the program.
"""
import json
import os
import pathlib
import shlex
import subprocess
import tempfile
import unittest

FMPLRUN = shlex.split(os.environ.get("FMPLRUN", "fmplrun"))
BENCH = os.environ.get("FMPL_BENCH", "fmpl-bench")
IS_FMPL = pathlib.Path(BENCH).name == "fmpl-bench"
LIMIT_SECONDS = 60
FEW = "--reps 3 --warmup 1 --samples 2"


def run(ranks, options, **variables):
    return subprocess.run([*FMPLRUN, "-n", str(ranks), BENCH, *shlex.split(options)], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=LIMIT_SECONDS, check=False,
                          env={**os.environ, **variables})


class Measuring(unittest.TestCase):
    """What the tests of such programs have in common."""

    def measure(self, ranks, options):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "result.json"
            result = run(ranks, f"{options} --json {file}")
            self.assertEqual(result.returncode, 0, f"{ranks} ranks, {options}\n{result.stdout}{result.stderr}")
            return json.loads(file.read_text(encoding="utf-8"))

    def assert_rows(self, document, key, values):
        self.assertEqual([row[key] for row in document["results"]], values)
        for row in document["results"]:
            self.assertEqual(row["reps"], 3)
            self.assertEqual(len(row["seconds"]["samples"]), 2)
            self.assertGreater(row["seconds"]["min"], 0)


class Benchmarks(Measuring):
    def test_messages_of_every_kind_of_memory(self):
        for memory in ("rdma", "heap", "stack", "static"):
            for benchmark in ("latency", "bandwidth"):
                with self.subTest(benchmark, memory=memory):
                    document = self.measure(2, f"{benchmark} --sizes 0,8,100,64K --memory {memory} {FEW}")
                    self.assert_rows(document, "bytes", [0, 8, 100, 65536])
                    self.assertEqual(document["options"]["memory"], memory)

    def test_pairs_and_ranks_without_a_partner(self):
        for ranks, options in ((3, ""), (5, "--pairs"), (6, "--pairs"), (5, "--far-pairs")):
            with self.subTest(ranks=ranks, options=options):
                self.assert_rows(self.measure(ranks, f"latency --sizes 8,1K {FEW} {options}"), "bytes", [8, 1024])

    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "there is one CPU")
    def test_batches_of_two_ranks_wait_for_cpus_that_are_near(self):
        for benchmark in ("latency --sizes 8", "bcast --sizes 8", "barrier", "outstanding --sizes 8 --outstanding 4"):
            with self.subTest(benchmark):
                document = self.measure(2, f"{benchmark} {FEW} --nearer-than 1000000")
                self.assertEqual((document["farther_batches"], document["options"]["nearer_than_ns"]), (0, 1000000))
                self.assertNotIn("farther_batches", self.measure(2, f"{benchmark} {FEW}"))
                self.assertNotIn("farther_batches", self.measure(3, f"{benchmark} {FEW} --nearer-than 100"))
        # As near as no two CPUs are: after some seconds each batch counts.
        document = self.measure(2, f"barrier {FEW} --nearer-than 1")
        self.assertEqual(document["farther_batches"], 2)

    def test_outstanding_receives(self):
        document = self.measure(2, f"outstanding --sizes 4,300 --outstanding 1,20 {FEW} --memory static")
        self.assertEqual([(row["bytes"], row["outstanding"]) for row in document["results"]],
                         [(4, 1), (4, 20), (300, 1), (300, 20)])

    def test_collective_calls(self):
        for ranks in (2, 3, 7):
            with self.subTest(ranks=ranks):
                self.assert_rows(self.measure(ranks, f"barrier {FEW}"), "ranks", [ranks])
                for benchmark in ("bcast", "reduce", "allreduce"):
                    self.assert_rows(self.measure(ranks, f"{benchmark} --sizes 8,24,8K {FEW}"), "bytes", [8, 24, 8192])
                for benchmark in ("bcast", "reduce"):
                    document = self.measure(ranks, f"{benchmark} --root fixed --sizes 8,8K {FEW}")
                    self.assert_rows(document, "bytes", [8, 8192])
                    self.assertEqual(document["options"]["root"], "fixed")

    def test_a_batch_that_must_not_take_long_is_shorter(self):
        (row,) = self.measure(3, "barrier --samples 2 --batch-ms 1")["results"]
        self.assertTrue(1 <= row["reps"] <= 1000, row["reps"])
        (row,) = self.measure(3, "bandwidth --samples 2 --sizes 4M --batch-ms 1")["results"]
        self.assertTrue(1 <= row["reps"] <= 16, row["reps"])

    def test_given_repetitions_are_kept_however_long_they_take(self):
        (row,) = self.measure(2, "bcast --sizes 1M --reps 5 --samples 1 --batch-ms 1")["results"]
        self.assertEqual(row["reps"], 5)


@unittest.skipIf(IS_FMPL, "measures what only an MPI offers")
class CallsOfAnMpi(Measuring):
    """The programs verify what arrives."""

    def test_every_collective_call(self):
        for ranks, options in ((2, ""), (3, "--root fixed --data new"), (4, "--between 5 --operation user")):
            with self.subTest(ranks=ranks, options=options):
                rows = self.measure(ranks, f"collectives --sizes 8,104,8K {options} {FEW}")["results"]
                lines = [row["line"] for row in rows]
                self.assertEqual(len(lines), len(set(lines)))
                self.assertEqual(len(lines), 2 + 3 * 36)
                self.assertIn("ineighbor_alltoall-104", lines)
                self.assertEqual([row["bytes"] for row in rows if row["call"] == "reduce_scatter"], [8, 104, 8192])

    def test_some_calls(self):
        rows = self.measure(3, f"collectives --sizes 16 --calls scan,ibarrier {FEW}")["results"]
        self.assertEqual([row["line"] for row in rows], ["ibarrier-0", "scan-16"])

    def test_a_computation_between_calls_takes_its_time(self):
        (row,) = self.measure(2, f"collectives --sizes 8 --calls iallreduce --between 500 {FEW}")["results"]
        self.assertGreater(row["seconds"]["median"], 400e-6)

    def test_windows_of_messages(self):
        for ranks, options in ((2, "--window 64"), (5, "--far-pairs --window 3 --data new")):
            with self.subTest(ranks=ranks, options=options):
                rows = self.measure(ranks, f"windows --sizes 0,8,5000,64K {options} {FEW}")["results"]
                self.assertEqual([row["line"] for row in rows],
                                 [f"{manner}-{size}" for size in (0, 8, 5000, 65536) for manner in ("stream", "both")])

    def test_messages_in_other_ways(self):
        for ranks, options in ((2, ""), (5, "--pairs")):
            with self.subTest(ranks=ranks, options=options):
                rows = self.measure(ranks, f"ways --sizes 0,8,5000,64K {options} {FEW}")["results"]
                self.assertEqual(len(rows), 4 * 12)
                self.assertEqual(rows[0]["line"], "probe-0")

    def test_messages_in_blocks(self):
        for ranks, options in ((2, "--block 8"), (5, "--pairs --block 1000")):
            with self.subTest(ranks=ranks, options=options):
                rows = self.measure(ranks, f"strided --sizes 8000,40000,800000 {options} {FEW}")["results"]
                self.assertEqual([row["line"] for row in rows],
                                 [f"{manner}-{size}"
                                  for size in (8000, 40000, 800000) for manner in ("pingpong", "exchange")])

    def test_bad_options_are_refused_in_words(self):
        for options, words in (("collectives --calls bcast,sum", "--calls 'sum': no collective call"),
                               ("collectives --between soon", "--between 'soon': give a whole number"),
                               ("collectives --data fresh", "--data 'fresh': give kept or new"),
                               ("collectives --memory heap", "--memory"),
                               ("collectives --sizes 12", "12 is not a multiple of 8"),
                               ("strided --sizes 100 --block 8", "100 is not a multiple of the block, 8 bytes"),
                               ("strided --block 0", "--block '0': give a whole number from 1"),
                               ("windows --data fresh", "--data 'fresh': give kept or new"),
                               ("collectives --operation own", "--operation 'own': give sum or user"),
                               ("windows --window 0", "--window '0': give a whole number from 1")):
            with self.subTest(options):
                result = run(2, options)
                self.assertEqual(result.returncode, 2, result.stdout + result.stderr)
                self.assertIn(words, result.stderr)
        result = run(2, "collectives --sizes 1G")
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertIn("too many for a block of each of 2 ranks", result.stderr)


@unittest.skipUnless(IS_FMPL, "measures what only FMPL offers")
class RemoteWrite(Measuring):
    def test_messages_of_a_word_and_of_memory(self):
        document = self.measure(2, f"remote-write --sizes 0,8,9,64,100,4K,100000 {FEW}")
        self.assert_rows(document, "bytes", [0, 8, 9, 64, 100, 4096, 100000])
        self.assertEqual(document["options"]["memory"], "rdma")
        for row in document["results"]:
            self.assertEqual(row["seconds"], row["ways"][row["copied"]]["seconds"])
            self.assertEqual(row["read_seconds"], row["ways"][row["read_copied"]]["read_seconds"])
            self.assertEqual(row["seconds"]["median"], min(way["seconds"]["median"] for way in row["ways"].values()))

    def test_many_buffers_in_turn(self):
        self.assert_rows(self.measure(2, f"remote-write --sizes 8,1000 --footprint 64K {FEW}"), "bytes", [8, 1000])

    def test_pairs_and_ranks_without_a_partner(self):
        for ranks, options in ((3, ""), (5, "--pairs"), (6, "--pairs"), (5, "--far-pairs")):
            with self.subTest(ranks=ranks, options=options):
                self.assert_rows(self.measure(ranks, f"remote-write --sizes 8,1K {FEW} {options}"), "bytes", [8, 1024])


@unittest.skipUnless(IS_FMPL, "measures what only FMPL offers")
class Breakdown(Measuring):
    IN_ONE_WAY = ("init", "receive_header", "send_message", "flight")

    def test_parts_add_up_to_the_one_way_time(self):
        document = self.measure(2, "breakdown --sizes 0,8,72,73,4K --reps 20 --samples 1")
        self.assertEqual([row["bytes"] for row in document["results"]], [0, 8, 72, 73, 4096])
        for row in document["results"]:
            parts = row["parts"]
            medians = {name: part["seconds"]["median"] for name, part in parts.items() if part is not None}
            self.assertAlmostEqual(sum(medians.get(name, 0) for name in self.IN_ONE_WAY), row["seconds"]["median"], 12)
            for name, seconds in medians.items():
                self.assertAlmostEqual(parts[name]["cycles"], seconds * document["counter"]["per_second"], 3)

    def test_only_a_message_beyond_the_completion_flag_has_a_header(self):
        for row in self.measure(2, f"breakdown --sizes 8,72,73 {FEW}")["results"]:
            absent = [name for name, part in row["parts"].items() if part is None]
            self.assertEqual(absent, [] if row["bytes"] > 72 else ["receive_header", "send_header"])

    def test_the_one_way_time_is_that_of_a_ping_pong(self):
        # Within what a busy machine does to either: the parts are neither of one call alone nor of a round trip of
        # waits.
        often = "--sizes 8,4K --reps 500"
        parts, ping_pong = (self.measure(2, f"{benchmark} {often}")["results"]
                            for benchmark in ("breakdown", "latency"))
        for of_parts, whole in zip(parts, ping_pong):
            ratio = of_parts["seconds"]["median"] / whole["seconds"]["min"]
            self.assertTrue(0.1 < ratio < 1000, f"{of_parts['bytes']} bytes: {ratio}")

    def test_the_counters_of_the_two_ranks_are_compared(self):
        difference = self.measure(2, f"breakdown {FEW}")["counter"]["difference_seconds"]
        self.assertLess(difference["least"], difference["most"])

    def test_ranks_that_take_no_part_and_too_few_cpus(self):
        self.assert_rows(self.measure(5, f"breakdown --sizes 8,4K {FEW}"), "bytes", [8, 4096])


class OnlyFmpl(unittest.TestCase):
    def test_memory_that_is_not_addressed_is_refused(self):
        if not IS_FMPL:
            self.skipTest("measures what only FMPL offers")
        for benchmark in ("remote-write", "breakdown"):
            with self.subTest(benchmark):
                result = run(2, f"{benchmark} --sizes 8 {FEW}", FMPL_ENGINE="unmapped")
                self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
                self.assertIn(f"{benchmark}: a rank does not address the memory of the other one", result.stderr)

    def test_memory_cannot_be_chosen_and_a_rank_needs_another_one(self):
        if not IS_FMPL:
            self.skipTest("measures what only FMPL offers")
        for benchmark in ("remote-write", "breakdown"):
            with self.subTest(benchmark):
                self.assertEqual(run(2, f"{benchmark} --memory heap").returncode, 2)
                self.assertIn("needs at least 2 ranks", run(1, benchmark).stderr)

    def test_an_mpi_does_not_offer_it(self):
        if IS_FMPL:
            self.skipTest("of mpi-bench")
        result = run(2, "remote-write")
        self.assertEqual(result.returncode, 2, result.stdout + result.stderr)
        self.assertNotIn("breakdown", run(2, "--help").stdout)


class BadOptions(unittest.TestCase):
    def test_each_is_refused_in_words(self):
        for ranks, options, status, words in [
                (2, "latency --memory disk", 2, "give rdma, heap, stack or static"),
                (2, "latency --batch-ms -1", 2, "--batch-ms '-1': give a whole number from 0"),
                (2, "outstanding --batch-ms 1", 2, "--batch-ms"),
                (2, "reduce --sizes 12", 2, "12 is not a multiple of 8"),
                (2, "bcast --root 1", 2, "--root '1': give turn or fixed"),
                (2, "latency --pairs=3x", 2, "--pairs takes no value"),
                (2, "", 2, "say which benchmark to run"),
                (1, "barrier", 2, "needs at least 2 ranks"),
                (2, "bandwidth --sizes 64M --memory static", 1, "do not fit"),
                (2, "barrier --json /dev/null/file", 2, "nothing was measured"),
        ]:
            with self.subTest(options):
                result = run(ranks, options)
                self.assertEqual(result.returncode, status, result.stdout + result.stderr)
                self.assertIn(words, result.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
