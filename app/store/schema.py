"""The tables, and the steps that bring an older file to them."""

from __future__ import annotations

VERSION = 3

_FIRST = """
CREATE TABLE folder(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL
);
CREATE TABLE conversation(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  title TEXT NOT NULL DEFAULT '',
  title_by TEXT NOT NULL DEFAULT '',            -- '' made from the first words, 'model', 'user'
  created_at REAL NOT NULL,
  updated_at REAL NOT NULL,
  active_leaf INTEGER,                          -- the last message of the visible path
  settings TEXT NOT NULL DEFAULT '{}',          -- JSON of ChatSettings
  view TEXT NOT NULL DEFAULT '{}',              -- JSON of the window's own (scroll place)
  draft TEXT NOT NULL DEFAULT '',
  folder_id INTEGER REFERENCES folder ON DELETE SET NULL,
  pinned INTEGER NOT NULL DEFAULT 0,
  unseen INTEGER NOT NULL DEFAULT 0,
  deleted_at REAL
);
CREATE INDEX conversation_updated ON conversation(updated_at);
CREATE TABLE tag(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE
);
CREATE TABLE conversation_tag(
  conversation_id INTEGER NOT NULL REFERENCES conversation ON DELETE CASCADE,
  tag_id INTEGER NOT NULL REFERENCES tag ON DELETE CASCADE,
  PRIMARY KEY (conversation_id, tag_id)
) WITHOUT ROWID;
-- A tree: an edit or another reply is a new child of the same parent.
CREATE TABLE message(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  conversation_id INTEGER NOT NULL REFERENCES conversation ON DELETE CASCADE,
  parent_id INTEGER REFERENCES message ON DELETE CASCADE,
  role TEXT NOT NULL CHECK (role IN ('system', 'user', 'assistant')),
  content TEXT NOT NULL DEFAULT '',
  thought TEXT NOT NULL DEFAULT '',
  status TEXT NOT NULL DEFAULT 'complete'
    CHECK (status IN ('writing', 'complete', 'stopped', 'interrupted', 'failed')),
  created_at REAL NOT NULL,
  note TEXT NOT NULL DEFAULT '{}',              -- JSON of ReplyNote
  spoken_by TEXT NOT NULL DEFAULT '',           -- fingerprint of the model that spoke `spoken`
  spoken BLOB NOT NULL DEFAULT x'',             -- its token ids, packed; empty after an edit
  deleted_at REAL
);
CREATE INDEX message_conversation ON message(conversation_id, id);
CREATE INDEX message_parent ON message(parent_id);
-- A reply in flight grows here, one small row a second, so that its message is written once.
CREATE TABLE growth(
  id INTEGER PRIMARY KEY,
  message_id INTEGER NOT NULL,
  kind TEXT NOT NULL,
  content TEXT NOT NULL
);
CREATE TABLE attachment(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  message_id INTEGER REFERENCES message ON DELETE CASCADE,
  name TEXT NOT NULL,
  kind TEXT NOT NULL,
  content TEXT NOT NULL,
  n_tokens INTEGER NOT NULL DEFAULT 0,
  cut INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX attachment_message ON attachment(message_id);
-- Sends that wait for the reply before them.
CREATE TABLE waiting(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  conversation_id INTEGER NOT NULL REFERENCES conversation ON DELETE CASCADE,
  content TEXT NOT NULL,
  attachments TEXT NOT NULL DEFAULT '[]'
);
CREATE TABLE run(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  message_id INTEGER REFERENCES message ON DELETE CASCADE,
  cell_id INTEGER REFERENCES cell ON DELETE CASCADE,
  created_at REAL NOT NULL,
  record BLOB NOT NULL
);
CREATE INDEX run_message ON run(message_id);
CREATE INDEX run_cell ON run(cell_id);
CREATE TABLE embedding(
  message_id INTEGER PRIMARY KEY REFERENCES message ON DELETE CASCADE,
  model TEXT NOT NULL,
  vector BLOB NOT NULL
);
CREATE TABLE preset(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  settings TEXT NOT NULL
);
CREATE TABLE saved_prompt(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  content TEXT NOT NULL
);
CREATE TABLE experiment(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  created_at REAL NOT NULL,
  updated_at REAL NOT NULL,
  plan TEXT NOT NULL,
  deleted_at REAL
);
CREATE TABLE cell(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  experiment_id INTEGER NOT NULL REFERENCES experiment ON DELETE CASCADE,
  place TEXT NOT NULL,                          -- JSON: input, variant, seed
  content TEXT NOT NULL DEFAULT '',
  thought TEXT NOT NULL DEFAULT '',
  status TEXT NOT NULL,
  created_at REAL NOT NULL,
  note TEXT NOT NULL DEFAULT '{}'
);
CREATE INDEX cell_experiment ON cell(experiment_id);
CREATE VIRTUAL TABLE message_text USING fts5(
  content, content='message', content_rowid='id',
  tokenize='unicode61 remove_diacritics 2', prefix='2 3'
);
-- The index holds finished messages alone: a growing one is never indexed again and again.
CREATE TRIGGER message_inserted AFTER INSERT ON message WHEN new.status <> 'writing' BEGIN
  INSERT INTO message_text(rowid, content) VALUES (new.id, new.content);
END;
CREATE TRIGGER message_deleted AFTER DELETE ON message WHEN old.status <> 'writing' BEGIN
  INSERT INTO message_text(message_text, rowid, content) VALUES ('delete', old.id, old.content);
END;
CREATE TRIGGER message_unindexed AFTER UPDATE OF content, status ON message
WHEN old.status <> 'writing' BEGIN
  INSERT INTO message_text(message_text, rowid, content) VALUES ('delete', old.id, old.content);
END;
CREATE TRIGGER message_indexed AFTER UPDATE OF content, status ON message
WHEN new.status <> 'writing' BEGIN
  INSERT INTO message_text(rowid, content) VALUES (new.id, new.content);
END;
"""

_SECOND = """
-- What is still to be done, whatever ended the app before it was.
CREATE TABLE chore(name TEXT PRIMARY KEY) WITHOUT ROWID;
"""

_THIRD = """
-- Texts that belong to no conversation yet: what stands in the composer of a new chat.
CREATE TABLE kept(name TEXT PRIMARY KEY, content TEXT NOT NULL) WITHOUT ROWID;
"""

# MIGRATIONS[n] brings a file of version n to n + 1.
MIGRATIONS = (_FIRST, _SECOND, _THIRD)

assert len(MIGRATIONS) == VERSION
