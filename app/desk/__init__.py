"""The desk: what stands between the chat and the widgets.

Each part asks the chat and the store, and tells in plain rows what is to be shown. None of them
knows a widget; `__main__` draws the connections. All of them live on the GUI thread.
"""
