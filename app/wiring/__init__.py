"""The wiring plan, by the sides of the window: which signal goes to which slot."""
