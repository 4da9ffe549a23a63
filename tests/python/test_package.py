# SPDX-License-Identifier: MIT
"""The package loads, and its extension is the one of this build."""

import pathlib
import unittest

import support

import ctprof
from ctprof import _ctprof


class Package(support.TestCase):
    def test_extension_reports_the_recorders_state(self):
        self.assertEqual(_ctprof.status(), "off")

    def test_package_and_extension_are_in_one_directory(self):
        self.assertEqual(pathlib.Path(ctprof.__file__).parent,
                         pathlib.Path(_ctprof.__file__).parent)


if __name__ == "__main__":
    unittest.main()
