"""The same door onto an engine in a process of its own: a crash there never touches the window.

`engine` is the door, `keeper` starts and watches one child, `child` is what runs in it, `pipes` and
`wire` are what they speak. The child is spawned, never forked, and never outlives its parent.
"""
