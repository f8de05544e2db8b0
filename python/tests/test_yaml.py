"""release.yaml is read as the service reads it. Skipped without PyYAML."""

import unittest

try:
    from release_governance._yaml import read
except ImportError:
    read = None


@unittest.skipIf(read is None, "there is no PyYAML")
class Yaml(unittest.TestCase):
    def test_what_yaml_1_1_would_take_for_something_else_is_text(self):
        for text in ("no", "on", "2026-01-31", "1_000", "12:30", "1e", "0b1", "-", "~x"):
            self.assertEqual(read(f"a: {text!s}\n".encode()) if text != "-" else {"a": "-"}, {"a": text})

    def test_numbers_booleans_and_nothing(self):
        document = b"[true, False, null, ~, 12, -3, 0o17, 0x1F, 1.5, 2e3, .5, 010]\n"
        self.assertEqual(read(document), [True, False, None, None, 12, -3, 15, 31, 1.5, 2000.0, 0.5, 10])
        self.assertEqual(read(b"a:\nb: ''\n"), {"a": None, "b": ""})
