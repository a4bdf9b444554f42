"""The window's dialogs. All of them are Qt's own, none is native."""
