"""Assemble, sign and check the macOS bundle, on Linux or a Mac.

Reading and checking need the standard library alone, so that the checks themselves are tested with
the program's tests; the tools of `packaging/requirements.lock` are imported where they are used.
"""
