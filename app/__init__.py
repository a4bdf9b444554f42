"""Cabochon: the window, the command line and everything around the engine."""
