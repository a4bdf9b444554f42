"""What is kept: one SQLite file, opened, checked, migrated on a copy, searched.

`Store` is plain and synchronous: the command line and tests use it as it is. The window reaches it
through `thread.StoreThread`, which owns it on a thread of its own.
"""
