#!/usr/bin/env python3
"""blacs-bench.fmpl runs each of its benchmarks on small matrices, verifies what arrives and writes what it measured;
arguments that cannot be used are refused in words.

Environment: FMPLRUN, the launcher; FMPL_BENCH, the program.
"""
import unittest

from bench_test import FEW, Measuring, run


class Benchmarks(Measuring):
    def test_contiguous_matrices_in_every_kind_of_memory(self):
        for ranks, memory in ((2, "heap"), (3, "stack"), (2, "static")):
            with self.subTest(ranks=ranks, memory=memory):
                document = self.measure(ranks, f"p2p --sizes 8,8K,72K --memory {memory} {FEW}")
                self.assert_rows(document, "bytes", [8, 8192, 73728])
                self.assertEqual(document["options"]["memory"], memory)
                self.assertIn("blacs_fmpl", document["library"])

    def test_blocks_and_triangles(self):
        for ranks in (2, 3):
            for shape, elements in (("strided", [12, 1600]), ("upper", [6, 820]), ("lower", [6, 820])):
                with self.subTest(shape, ranks=ranks):
                    matrices = "4x3,40x40" if shape == "strided" else "3x3,40x40"
                    document = self.measure(ranks, f"p2p --shape {shape} --matrix {matrices} --lda 50 {FEW}")
                    self.assert_rows(document, "bytes", [8 * count for count in elements])
                    self.assertEqual([row["lda"] for row in document["results"]], [50, 50])
                    self.assertEqual({row["shape"] for row in document["results"]}, {shape})

    def test_the_default_block_is_the_one_that_is_spoken_of(self):
        (row,) = self.measure(2, f"p2p --shape strided {FEW}")["results"]
        self.assertEqual([row[key] for key in ("m", "n", "lda")], [40, 40, 640])

    def test_a_contiguous_matrix_of_several_columns(self):
        (row,) = self.measure(2, f"p2p --matrix 40x20 {FEW}")["results"]
        self.assertEqual([row[key] for key in ("m", "n", "lda", "bytes")], [40, 20, 40, 6400])

    def test_pairs_and_ranks_without_a_partner(self):
        self.assert_rows(self.measure(5, f"p2p --pairs --sizes 8,1K {FEW}"), "bytes", [8, 1024])

    def test_collective_calls(self):
        for ranks in (2, 3):
            with self.subTest(ranks=ranks):
                self.assert_rows(self.measure(ranks, f"barrier {FEW}"), "ranks", [ranks])
                for benchmark in ("bcast", "sum", "amx"):
                    self.assert_rows(self.measure(ranks, f"{benchmark} --sizes 8,24,8K {FEW}"), "bytes", [8, 24, 8192])


class BadOptions(unittest.TestCase):
    def test_each_is_refused_in_words(self):
        for ranks, options, words in [
                (2, "p2p --shape round", "give contiguous, strided, upper or lower"),
                (2, "p2p --shape strided --sizes 8", "give either them or --matrix"),
                (2, "p2p --shape strided --matrix 40", "give rows x columns"),
                (2, "p2p --shape strided --matrix 40x0", "--matrix '0': give a whole number from 1"),
                (2, "p2p --shape strided --matrix 40x40 --lda 39", "does not fit a leading dimension of 39"),
                (2, "p2p --shape upper --matrix 40x30", "the matrix of a triangle is square"),
                (2, "p2p --lda 640", "has no gap between its columns"),
                (2, "p2p --sizes 0", "at least one element"),
                (2, "p2p --sizes 12", "12 is not a multiple of 8"),
                (3, "bcast --memory rdma", "give heap, stack or static"),
                (3, "barrier --shape strided", "--shape"),
                (2, "", "say which benchmark to run: p2p, bcast, sum, amx or barrier"),
                (1, "barrier", "needs at least 2 ranks"),
        ]:
            with self.subTest(options):
                result = run(ranks, options)
                self.assertEqual(result.returncode, 2, result.stdout + result.stderr)
                self.assertIn(words, result.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
