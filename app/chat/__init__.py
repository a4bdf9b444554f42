"""The chat without its widgets: a tree of messages, one state machine, the replies in flight.

How `__main__` wires it (all of these live on the GUI thread, unless told otherwise)::

    paths = find_paths(os.environ).make()
    settings, notice = SettingsFile(paths.settings).load()
    store = StoreThread(paths.database)         # owns SQLite on a thread of its own
    worker = Worker(make_engine)                # lives on the inference thread; make_engine() runs
                                                # there, once: lambda: EchoEngine() or the real one
    chat = Chat(store, worker, settings)        # first `open_new()` or `open(id)`
    ...connect widgets...
    worker.start(); store.start()
    chat.load_model(source)                     # "starter", a file or a folder

Python's cyclic garbage must be collected on the GUI thread alone (`gc.disable()` at start, and
`gc.collect()` from a timer there): a cycle that holds a Qt object
crashes when another thread frees it.

Closing, in this order, from `aboutToQuit` and the close box alike (calling it twice is harmless)::

    close_all(chat, worker, store)              # app.chat.closing

Signals of `Chat` (connect them to methods of GUI objects):

- `state_changed(ChatState)`: buttons follow it and nothing else; `ChatState.busy` offers Stop.
- `status_changed(ChatStatus)`: the status line (reading %, reused tokens, tokens/s, error).
- `opened(OpenedConversation)`: a saved chat was opened: its draft, its view (scroll place), title.
- `path_changed()`: show `chat.conversation.path()` anew; a `Node` of status "writing" goes on
  growing. Versions of a node: `chat.conversation.version(id)` gives (which, of how many).
- `message_added(Node)`, `reply_began(Node)`: append one message at the end of the path.
- `grew(message_id, text, kind)`: more of the reply; kind is "answer" or "thought".
- `reply_ended(Node)`: the reply with its last status and `note` (the footer). A reply that never
  said a word is taken back: `path_changed` instead.
- `waiting_changed(tuple[WaitingRow, ...])`: sends that wait, shown above the composer.
- `returned(str)`: texts that waited come back into the composer.
- `settings_changed(ChatSettings)`: system prompt, sampling and so on of the open chat.
- `conversations_changed()`: ask the store for `conversations.all()` again.
- `writing_changed(conversation_id, bool)`: the spinner in the sidebar.
- `finished_unseen(conversation_id)`: an answer is done in a chat that is not open.
- `model_changed(ModelInfo | None)`, `noticed(str)`: one sentence for a notice bar.

Methods that widgets' signals are connected to: `send(text, attachments)`, `stop()`, `open(id)`,
`open_new(settings, temporary=…)`, `regenerate(id)`, `go_on(id)` (Continue), `edit(id, text)`,
`branch(id)`, `show_version(id, ±1)`, `show_message(id)`, `delete(id)`, `undelete(id)`,
`force(id, place, token_id, token_text)`,
`answer_now()`, `set_settings`, `set_draft`, `set_view`, `take_back(id)`,
`load_model(source)`, `unload_model()`, `set_app_settings(settings)`.

Everything else that is kept (the list, search, folders, trash, presets) is asked of the store:
`store.ask(lambda s: s.search.find("word"), then)`; `then` is called on the GUI thread with the
answer. Other work for the engine: `ticket = worker.submit(Render(prompt), Priority.LAB)`; its
events come by `worker.happened(ticket_id, event)` and end with `Ended`; `ticket.stop()` stops it.

Beside the chat (each takes the store and the worker, and says in its head what to connect):
`titles.Titler` (connect `Chat.writing_changed` to it; its `titled` refreshes the list),
`meaning.MeaningIndex` (search by meaning; connect `Chat.conversations_changed` to `wake`),
`counting.TokenCounter` (the composer's tokens and attachments; connect `Worker.engine_made` and
`Chat.model_changed`), `context_meter.measure` (pure), `app.desk.sharing.Sharing` (export,
import, print), `app.lab.lab.Lab` (a grid), `app.lab.verifier.Verifier` (an answer made again).
Make them after the `Worker` and before it starts, so that they hear of the model.
"""
