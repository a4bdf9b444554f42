"""Text into documents: Markdown as it streams, code colours, maths. No widget lives here."""
