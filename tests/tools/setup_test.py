"""tools/setup installs what is missing, and only then; where it cannot, it lists it. dpkg, apt-get and sudo are
stand-ins that note how they were called."""
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
REAL = ("bash", "cat", "comm", "dirname", "env", "sed", "sort")

# Knows the packages in the file `installed`.
DPKG_QUERY = 'for p in "$@"; do grep -qx -- "$p" {installed} && echo "$p installed"; done; true'
# Installs what it is asked to, if `broken` does not exist.
APT_GET = 'echo "apt-get $*" >> {log}; [ ! -e {broken} ] || exit 100; ' \
          'for p in "$@"; do echo "$p" >> {installed}; done'


class Setup(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="fmpl-setup-"))
        self.addCleanup(shutil.rmtree, self.root)
        (self.root / "bin").mkdir()
        (self.root / "tools").mkdir()
        shutil.copy(SOURCE / "tools/setup", self.root / "tools")
        (self.root / "tools/packages.txt").write_text("# words\nfirst  # why\n\nsecond\n")
        for name in ("log", "installed"):
            (self.root / name).touch()
        for name in (*REAL, "grep"):
            (self.root / "bin" / name).symlink_to(shutil.which(name))
        self.stand_in("dpkg-query", DPKG_QUERY)
        self.stand_in("apt-get", APT_GET)
        self.user(0)

    def stand_in(self, name, script):
        places = {place: self.root / place for place in ("log", "installed", "broken")}
        path = self.root / "bin" / name
        path.write_text("#!/usr/bin/env bash\n" + script.format(**places) + "\n")
        path.chmod(0o755)

    def user(self, number):
        self.stand_in("id", f"echo {number}")

    def have(self, *packages):
        (self.root / "installed").write_text("".join(f"{package}\n" for package in packages))

    def run_setup(self):
        """Exit status, what it printed, and the calls of apt-get and sudo."""
        done = subprocess.run([self.root / "tools/setup"], env={"PATH": str(self.root / "bin")}, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.returncode, done.stdout, (self.root / "log").read_text().splitlines()

    def assert_lists_the_missing(self, status, output):
        self.assertEqual(status, 1, output)
        self.assertIn("apt-get install --no-install-recommends first second\n", output)

    def test_does_nothing_and_says_nothing_when_all_is_there(self):
        self.have("first", "second")
        self.assertEqual(self.run_setup(), (0, "", []))

    def test_installs_the_missing_packages_alone(self):
        self.have("first")
        status, output, calls = self.run_setup()
        self.assertEqual(status, 0, output)
        self.assertEqual(calls, ["apt-get update -q", "apt-get install -q -y --no-install-recommends second"])

    def test_uses_sudo_when_not_root(self):
        self.user(1000)
        self.stand_in("sudo", 'echo "sudo" >> {log}; [ "$1" != -n ] || shift; "$@"')
        self.stand_in("true", "exit 0")
        status, output, calls = self.run_setup()
        self.assertEqual(status, 0, output)
        self.assertEqual(calls.count("sudo"), 3)

    def test_lists_the_missing_when_sudo_wants_a_password_that_nobody_can_type(self):
        self.user(1000)
        self.stand_in("sudo", "exit 1")
        self.assert_lists_the_missing(*self.run_setup()[:2])

    def test_lists_the_missing_without_root_and_sudo(self):
        self.user(1000)
        self.assert_lists_the_missing(*self.run_setup()[:2])

    def test_lists_the_missing_without_apt_get_and_dpkg(self):
        (self.root / "bin/apt-get").unlink()
        (self.root / "bin/dpkg-query").unlink()
        self.assert_lists_the_missing(*self.run_setup()[:2])

    def test_lists_the_missing_when_apt_get_fails(self):
        (self.root / "broken").touch()
        self.assert_lists_the_missing(*self.run_setup()[:2])


if __name__ == "__main__":
    unittest.main()
