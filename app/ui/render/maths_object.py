"""The names by which a document marks a character as a formula."""

from __future__ import annotations

from PySide6.QtGui import QTextFormat

MATHS_OBJECT = QTextFormat.ObjectTypes.UserObject.value + 1
MATHS_RUN = QTextFormat.Property.UserProperty.value + 1
