"""The window's language: texts, plurals, numbers and the direction of reading."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from PySide6.QtCore import QLibraryInfo, QLocale, QTranslator

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication


def languages() -> dict[str, str]:
    """Every language that the window speaks: its code and how it calls itself."""
    return {"en": "English", "he": "עברית", "ja": "日本語"}


def choose_language(wish: str, system: str) -> str:
    """The wished language, else the system's, else English.

    Args:
        wish: A code, or "" for the system's.
        system: The system's locale, such as "he_IL".
    """
    for code in (wish, system.partition("_")[0]):
        if code in languages():
            return code
    return "en"


def speak(app: QApplication, wish: str) -> str:
    """Let the application speak a language; called before its widgets are made.

    Returns:
        The code of the language.
    """
    code = choose_language(wish, QLocale.system().name())
    locale = QLocale(code)
    QLocale.setDefault(locale)
    folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    ours = str(files("resources").joinpath("translations", f"cabochon_{code}.qm"))
    for path in (f"{folder}/qtbase_{code}.qm", ours):
        translator = QTranslator(app)
        if translator.load(path):
            app.installTranslator(translator)
    app.setLayoutDirection(locale.textDirection())
    return code
