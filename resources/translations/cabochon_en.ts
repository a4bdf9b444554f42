<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
    <context>
        <name>Bar</name>
        <message>
            <source>Close</source>
            <translation>Close</translation>
        </message>
    </context>
    <context>
        <name>BranchMap</name>
        <message>
            <source>Branch map</source>
            <translation>Branch map</translation>
        </message>
        <message>
            <source>Messages and their versions</source>
            <translation>Messages and their versions</translation>
        </message>
        <message>
            <source>Show</source>
            <translation>Show</translation>
        </message>
        <message>
            <source>Close</source>
            <translation>Close</translation>
        </message>
        <message>
            <source>What is shown now is bold; a branch begins with each version.</source>
            <translation>What is shown now is bold; a branch begins with each version.</translation>
        </message>
    </context>
    <context>
        <name>ChatList</name>
        <message>
            <source>Chats</source>
            <translation>Chats</translation>
        </message>
        <message>
            <source>New chat</source>
            <translation>New chat</translation>
        </message>
        <message>
            <source>Today</source>
            <translation>Today</translation>
        </message>
        <message>
            <source>Previous 7 days</source>
            <translation>Previous 7 days</translation>
        </message>
        <message>
            <source>Pinned</source>
            <translation>Pinned</translation>
        </message>
        <message>
            <source>Older</source>
            <translation>Older</translation>
        </message>
        <message>
            <source>writing</source>
            <translation>writing</translation>
        </message>
        <message>
            <source>waiting</source>
            <translation>waiting</translation>
        </message>
        <message>
            <source>new answer</source>
            <translation>new answer</translation>
        </message>
    </context>
    <context>
        <name>Chats</name>
        <message>
            <source>The message and what followed it are deleted.</source>
            <translation>The message and what followed it are deleted.</translation>
        </message>
        <message>
            <source>“{title}” has an answer.</source>
            <translation>“{title}” has an answer.</translation>
        </message>
        <message>
            <source>“{name}” is no GGUF model and was left alone.</source>
            <translation>“{name}” is no GGUF model and was left alone.</translation>
        </message>
    </context>
    <context>
        <name>Chip</name>
        <message>
            <source>Remove {name}</source>
            <translation>Remove {name}</translation>
        </message>
    </context>
    <context>
        <name>Choosing</name>
        <message>
            <source>{family}, {quantisation}, on {device}</source>
            <translation>{family}, {quantisation}, on {device}</translation>
        </message>
        <message>
            <source>{size} GB in memory</source>
            <translation>{size} GB in memory</translation>
        </message>
    </context>
    <context>
        <name>Commands</name>
        <message>
            <source>&amp;File</source>
            <translation>&amp;File</translation>
        </message>
        <message>
            <source>New chat</source>
            <translation>New chat</translation>
        </message>
        <message>
            <source>New temporary chat</source>
            <translation>New temporary chat</translation>
        </message>
        <message>
            <source>Open a model…</source>
            <translation>Open a model…</translation>
        </message>
        <message>
            <source>Import chats…</source>
            <translation>Import chats…</translation>
        </message>
        <message>
            <source>Export this chat…</source>
            <translation>Export this chat…</translation>
        </message>
        <message>
            <source>Export all chats…</source>
            <translation>Export all chats…</translation>
        </message>
        <message>
            <source>Settings…</source>
            <translation>Settings…</translation>
        </message>
        <message>
            <source>Quit Cabochon</source>
            <translation>Quit Cabochon</translation>
        </message>
        <message>
            <source>&amp;Edit</source>
            <translation>&amp;Edit</translation>
        </message>
        <message>
            <source>Find in this chat</source>
            <translation>Find in this chat</translation>
        </message>
        <message>
            <source>Search all chats</source>
            <translation>Search all chats</translation>
        </message>
        <message>
            <source>Copy the last answer</source>
            <translation>Copy the last answer</translation>
        </message>
        <message>
            <source>&amp;View</source>
            <translation>&amp;View</translation>
        </message>
        <message>
            <source>Chat</source>
            <translation>Chat</translation>
        </message>
        <message>
            <source>Prompt Lab</source>
            <translation>Prompt Lab</translation>
        </message>
        <message>
            <source>Models</source>
            <translation>Models</translation>
        </message>
        <message>
            <source>Sidebar</source>
            <translation>Sidebar</translation>
        </message>
        <message>
            <source>Inspector</source>
            <translation>Inspector</translation>
        </message>
        <message>
            <source>Larger text</source>
            <translation>Larger text</translation>
        </message>
        <message>
            <source>Smaller text</source>
            <translation>Smaller text</translation>
        </message>
        <message>
            <source>&amp;Chat</source>
            <translation>&amp;Chat</translation>
        </message>
        <message>
            <source>Stop</source>
            <translation>Stop</translation>
        </message>
        <message>
            <source>Stop thinking and answer</source>
            <translation>Stop thinking and answer</translation>
        </message>
        <message>
            <source>Regenerate</source>
            <translation>Regenerate</translation>
        </message>
        <message>
            <source>Edit the last message</source>
            <translation>Edit the last message</translation>
        </message>
        <message>
            <source>Branch from the last answer</source>
            <translation>Branch from the last answer</translation>
        </message>
        <message>
            <source>Inspect the last answer</source>
            <translation>Inspect the last answer</translation>
        </message>
        <message>
            <source>Branch map…</source>
            <translation>Branch map…</translation>
        </message>
        <message>
            <source>Previous version</source>
            <translation>Previous version</translation>
        </message>
        <message>
            <source>Next version</source>
            <translation>Next version</translation>
        </message>
        <message>
            <source>Previous chat</source>
            <translation>Previous chat</translation>
        </message>
        <message>
            <source>Next chat</source>
            <translation>Next chat</translation>
        </message>
        <message>
            <source>&amp;Help</source>
            <translation>&amp;Help</translation>
        </message>
        <message>
            <source>All shortcuts</source>
            <translation>All shortcuts</translation>
        </message>
        <message>
            <source>About Cabochon</source>
            <translation>About Cabochon</translation>
        </message>
    </context>
    <context>
        <name>Composer</name>
        <message>
            <source>Message</source>
            <translation>Message</translation>
        </message>
        <message>
            <source>Write a message</source>
            <translation>Write a message</translation>
        </message>
        <message>
            <source>Attach files</source>
            <translation>Attach files</translation>
        </message>
        <message>
            <source>Send</source>
            <translation>Send</translation>
        </message>
        <message numerus="yes">
            <source>%n token(s)</source>
            <translation>
                <numerusform>%n token</numerusform>
                <numerusform>%n tokens</numerusform>
            </translation>
        </message>
        <message>
            <source>Editing a message; the old one stays as a version</source>
            <translation>Editing a message; the old one stays as a version</translation>
        </message>
        <message>
            <source>Cancel</source>
            <translation>Cancel</translation>
        </message>
        <message>
            <source>Stop</source>
            <translation>Stop</translation>
        </message>
        <message>
            <source>Stop (Esc)</source>
            <translation>Stop (Esc)</translation>
        </message>
        <message>
            <source>Send when ready</source>
            <translation>Send when ready</translation>
        </message>
    </context>
    <context>
        <name>Composing</name>
        <message numerus="yes">
            <source>%n token(s)</source>
            <translation>
                <numerusform>%n token</numerusform>
                <numerusform>%n tokens</numerusform>
            </translation>
        </message>
        <message>
            <source>only its beginning</source>
            <translation>only its beginning</translation>
        </message>
    </context>
    <context>
        <name>ContextMeter</name>
        <message>
            <source>Context in use</source>
            <translation>Context in use</translation>
        </message>
        <message>
            <source>{used} of {total} tokens</source>
            <translation>{used} of {total} tokens</translation>
        </message>
        <message>
            <source>Known when a model is loaded</source>
            <translation>Known when a model is loaded</translation>
        </message>
    </context>
    <context>
        <name>Dialogs</name>
        <message>
            <source>Folder for models</source>
            <translation>Folder for models</translation>
        </message>
        <message>
            <source>Save as preset</source>
            <translation>Save as preset</translation>
        </message>
        <message>
            <source>Name of the preset</source>
            <translation>Name of the preset</translation>
        </message>
        <message>
            <source>New folder</source>
            <translation>New folder</translation>
        </message>
        <message>
            <source>Name of the folder</source>
            <translation>Name of the folder</translation>
        </message>
        <message>
            <source>Tags</source>
            <translation>Tags</translation>
        </message>
        <message>
            <source>Tags, with commas between</source>
            <translation>Tags, with commas between</translation>
        </message>
        <message>
            <source>Attach files</source>
            <translation>Attach files</translation>
        </message>
        <message>
            <source>Open a GGUF file</source>
            <translation>Open a GGUF file</translation>
        </message>
        <message>
            <source>Open a model folder</source>
            <translation>Open a model folder</translation>
        </message>
        <message>
            <source>Import chats</source>
            <translation>Import chats</translation>
        </message>
        <message>
            <source>Export</source>
            <translation>Export</translation>
        </message>
        <message>
            <source>Open inputs</source>
            <translation>Open inputs</translation>
        </message>
        <message>
            <source>Export results</source>
            <translation>Export results</translation>
        </message>
        <message>
            <source>Cabochon {version}. Private chat with Google's Gemma models, and a bench for prompts. Chats stay on this machine. Gemma is provided under the Gemma terms of use (ai.google.dev/gemma/terms).</source>
            <translation>Cabochon {version}. Private chat with Google's Gemma models, and a bench for prompts. Chats stay on this machine. Gemma is provided under the Gemma terms of use (ai.google.dev/gemma/terms).</translation>
        </message>
        <message>
            <source>Close</source>
            <translation>Close</translation>
        </message>
        <message>
            <source>Erase every chat, prompt, preset and record on this machine? This cannot be taken back; export them first if in doubt.</source>
            <translation>Erase every chat, prompt, preset and record on this machine? This cannot be taken back; export them first if in doubt.</translation>
        </message>
        <message>
            <source>Erase everything</source>
            <translation>Erase everything</translation>
        </message>
        <message>
            <source>Delete this chat for good? This cannot be taken back.</source>
            <translation>Delete this chat for good? This cannot be taken back.</translation>
        </message>
        <message>
            <source>Delete for good</source>
            <translation>Delete for good</translation>
        </message>
        <message>
            <source>Delete everything in the trash for good? This cannot be taken back.</source>
            <translation>Delete everything in the trash for good? This cannot be taken back.</translation>
        </message>
        <message>
            <source>Empty the trash</source>
            <translation>Empty the trash</translation>
        </message>
    </context>
    <context>
        <name>Empty</name>
        <message>
            <source>New chat</source>
            <translation>New chat</translation>
        </message>
        <message>
            <source>No model</source>
            <translation>No model</translation>
        </message>
    </context>
    <context>
        <name>ErrorBar</name>
        <message>
            <source>Copy details</source>
            <translation>Copy details</translation>
        </message>
        <message>
            <source>Copied</source>
            <translation>Copied</translation>
        </message>
    </context>
    <context>
        <name>Experimenting</name>
        <message>
            <source>The last experiment cannot be read; it is kept.</source>
            <translation>The last experiment cannot be read; it is kept.</translation>
        </message>
        <message numerus="yes">
            <source>%n row(s) were read.</source>
            <translation>
                <numerusform>%n row were read.</numerusform>
                <numerusform>%n rows were read.</numerusform>
            </translation>
        </message>
        <message>
            <source>{name} cannot be read as text.</source>
            <translation>{name} cannot be read as text.</translation>
        </message>
        <message>
            <source>{cells} cells: {read} prompt tokens read, {written} tokens written.</source>
            <translation>{cells} cells: {read} prompt tokens read, {written} tokens written.</translation>
        </message>
        <message>
            <source>log-likelihood {total}, {each} a token</source>
            <translation>log-likelihood {total}, {each} a token</translation>
        </message>
        <message numerus="yes">
            <source>%n token(s)</source>
            <translation>
                <numerusform>%n token</numerusform>
                <numerusform>%n tokens</numerusform>
            </translation>
        </message>
        <message>
            <source>Results are written as .csv, .jsonl or .md.</source>
            <translation>Results are written as .csv, .jsonl or .md.</translation>
        </message>
        <message>
            <source>Not written: {why}.</source>
            <translation>Not written: {why}.</translation>
        </message>
        <message>
            <source>Written to {path}.</source>
            <translation>Written to {path}.</translation>
        </message>
        <message>
            <source>A vote needs the results of two variants; run them first.</source>
            <translation>A vote needs the results of two variants; run them first.</translation>
        </message>
    </context>
    <context>
        <name>FindBar</name>
        <message>
            <source>Find in this chat</source>
            <translation>Find in this chat</translation>
        </message>
        <message>
            <source>Previous find</source>
            <translation>Previous find</translation>
        </message>
        <message>
            <source>Next find</source>
            <translation>Next find</translation>
        </message>
        <message>
            <source>Close</source>
            <translation>Close</translation>
        </message>
        <message>
            <source>Not found</source>
            <translation>Not found</translation>
        </message>
        <message>
            <source>{n} of {total}</source>
            <translation>{n} of {total}</translation>
        </message>
    </context>
    <context>
        <name>Header</name>
        <message>
            <source>Sidebar</source>
            <translation>Sidebar</translation>
        </message>
        <message>
            <source>Inspector</source>
            <translation>Inspector</translation>
        </message>
        <message>
            <source>Chat</source>
            <translation>Chat</translation>
        </message>
        <message>
            <source>Lab</source>
            <translation>Lab</translation>
        </message>
        <message>
            <source>Models</source>
            <translation>Models</translation>
        </message>
        <message>
            <source>No model</source>
            <translation>No model</translation>
        </message>
        <message>
            <source>Model: {name}</source>
            <translation>Model: {name}</translation>
        </message>
        <message>
            <source>Open a model…</source>
            <translation>Open a model…</translation>
        </message>
        <message>
            <source>Unload the model</source>
            <translation>Unload the model</translation>
        </message>
    </context>
    <context>
        <name>ImportDialog</name>
        <message>
            <source>Import a model</source>
            <translation>Import a model</translation>
        </message>
        <message>
            <source>{name} is copied into the folder for models; the original stays. Weights of 16 bits can be packed: 4 bits need a quarter of the memory, 8 bits half of it.</source>
            <translation>{name} is copied into the folder for models; the original stays. Weights of 16 bits can be packed: 4 bits need a quarter of the memory, 8 bits half of it.</translation>
        </message>
        <message>
            <source>Weights</source>
            <translation>Weights</translation>
        </message>
        <message>
            <source>As they are</source>
            <translation>As they are</translation>
        </message>
        <message>
            <source>Packed into {n} bits</source>
            <translation>Packed into {n} bits</translation>
        </message>
        <message>
            <source>Import</source>
            <translation>Import</translation>
        </message>
        <message>
            <source>Cancel</source>
            <translation>Cancel</translation>
        </message>
    </context>
    <context>
        <name>InspectPanel</name>
        <message>
            <source>Choose Inspect on an answer to look inside.</source>
            <translation>Choose Inspect on an answer to look inside.</translation>
        </message>
        <message>
            <source>Tokens that could well have been others are tinted and underlined in the answer; point at one to see the alternatives, choose one to go on from there.</source>
            <translation>Tokens that could well have been others are tinted and underlined in the answer; point at one to see the alternatives, choose one to go on from there.</translation>
        </message>
        <message>
            <source>Make it again and compare</source>
            <translation>Make it again and compare</translation>
        </message>
        <message>
            <source>Close</source>
            <translation>Close</translation>
        </message>
        <message>
            <source>Show token ids</source>
            <translation>Show token ids</translation>
        </message>
        <message>
            <source>Prompt as the model sees it</source>
            <translation>Prompt as the model sees it</translation>
        </message>
        <message>
            <source>Token of the answer</source>
            <translation>Token of the answer</translation>
        </message>
        <message>
            <source>Look</source>
            <translation>Look</translation>
        </message>
        <message>
            <source>Look into the layers</source>
            <translation>Look into the layers</translation>
        </message>
        <message>
            <source>Guesses of each layer</source>
            <translation>Guesses of each layer</translation>
        </message>
        <message>
            <source>Layer</source>
            <translation>Layer</translation>
        </message>
        <message>
            <source>Would say</source>
            <translation>Would say</translation>
        </message>
        <message>
            <source>{n} tokens, {cached} of them kept</source>
            <translation>{n} tokens, {cached} of them kept</translation>
        </message>
        <message>
            <source>Prompt</source>
            <translation>Prompt</translation>
        </message>
        <message>
            <source>Layers</source>
            <translation>Layers</translation>
        </message>
    </context>
    <context>
        <name>Inspecting</name>
        <message>
            <source>No record was kept of this answer.</source>
            <translation>No record was kept of this answer.</translation>
        </message>
        <message>
            <source>{model} · {quantisation} · seed {seed} · {n} tokens</source>
            <translation>{model} · {quantisation} · seed {seed} · {n} tokens</translation>
        </message>
        <message>
            <source>Making it again…</source>
            <translation>Making it again…</translation>
        </message>
        <message>
            <source>Making it again: {done} of {total} tokens</source>
            <translation>Making it again: {done} of {total} tokens</translation>
        </message>
    </context>
    <context>
        <name>Inspector</name>
        <message>
            <source>System prompt</source>
            <translation>System prompt</translation>
        </message>
        <message>
            <source>How the model should behave in this chat</source>
            <translation>How the model should behave in this chat</translation>
        </message>
        <message>
            <source>Preset</source>
            <translation>Preset</translation>
        </message>
        <message>
            <source>Save as preset…</source>
            <translation>Save as preset…</translation>
        </message>
        <message>
            <source>Presets…</source>
            <translation>Presets…</translation>
        </message>
        <message>
            <source>Prompts…</source>
            <translation>Prompts…</translation>
        </message>
        <message>
            <source>Mode</source>
            <translation>Mode</translation>
        </message>
        <message>
            <source>Chat</source>
            <translation>Chat</translation>
        </message>
        <message>
            <source>Complete the text</source>
            <translation>Complete the text</translation>
        </message>
        <message>
            <source>Inspector</source>
            <translation>Inspector</translation>
        </message>
        <message>
            <source>No preset</source>
            <translation>No preset</translation>
        </message>
        <message>
            <source>• modified</source>
            <translation>• modified</translation>
        </message>
        <message>
            <source>Sampling</source>
            <translation>Sampling</translation>
        </message>
        <message>
            <source>Context</source>
            <translation>Context</translation>
        </message>
    </context>
    <context>
        <name>LabPage</name>
        <message>
            <source>Run</source>
            <translation>Run</translation>
        </message>
        <message>
            <source>Stop</source>
            <translation>Stop</translation>
        </message>
        <message>
            <source>Stop column</source>
            <translation>Stop column</translation>
        </message>
        <message>
            <source>Seeds</source>
            <translation>Seeds</translation>
        </message>
        <message>
            <source>Add input</source>
            <translation>Add input</translation>
        </message>
        <message>
            <source>More</source>
            <translation>More</translation>
        </message>
        <message>
            <source>Open inputs…</source>
            <translation>Open inputs…</translation>
        </message>
        <message>
            <source>Paste inputs</source>
            <translation>Paste inputs</translation>
        </message>
        <message>
            <source>Blind vote…</source>
            <translation>Blind vote…</translation>
        </message>
        <message>
            <source>Export…</source>
            <translation>Export…</translation>
        </message>
        <message>
            <source>Answer to score</source>
            <translation>Answer to score</translation>
        </message>
        <message>
            <source>Score mode: the answer you wish for, instead of writing new ones</source>
            <translation>Score mode: the answer you wish for, instead of writing new ones</translation>
        </message>
        <message>
            <source>JSON schema</source>
            <translation>JSON schema</translation>
        </message>
        <message>
            <source>JSON schema that every answer is checked against</source>
            <translation>JSON schema that every answer is checked against</translation>
        </message>
        <message>
            <source>Results</source>
            <translation>Results</translation>
        </message>
        <message>
            <source>Answer of the chosen cell</source>
            <translation>Answer of the chosen cell</translation>
        </message>
        <message>
            <source>Seed</source>
            <translation>Seed</translation>
        </message>
        <message>
            <source>Pin</source>
            <translation>Pin</translation>
        </message>
        <message>
            <source>Open as chat</source>
            <translation>Open as chat</translation>
        </message>
        <message>
            <source>reading…</source>
            <translation>reading…</translation>
        </message>
        <message>
            <source>writing…</source>
            <translation>writing…</translation>
        </message>
        <message>
            <source>Answer</source>
            <translation>Answer</translation>
        </message>
        <message>
            <source>Seed {n}</source>
            <translation>Seed {n}</translation>
        </message>
        <message>
            <source>Variant {n}</source>
            <translation>Variant {n}</translation>
        </message>
        <message>
            <source>Other answers are compared with the pinned one, word by word.</source>
            <translation>Other answers are compared with the pinned one, word by word.</translation>
        </message>
    </context>
    <context>
        <name>Listing</name>
        <message>
            <source>Temporary chat</source>
            <translation>Temporary chat</translation>
        </message>
        <message>
            <source>New chat</source>
            <translation>New chat</translation>
        </message>
        <message>
            <source>“{title}” is in the Trash.</source>
            <translation>“{title}” is in the Trash.</translation>
        </message>
    </context>
    <context>
        <name>Menus</name>
        <message>
            <source>All chats</source>
            <translation>All chats</translation>
        </message>
        <message>
            <source>Written to {path}.</source>
            <translation>Written to {path}.</translation>
        </message>
    </context>
    <context>
        <name>ModelCard</name>
        <message>
            <source>{n} tokens of context</source>
            <translation>{n} tokens of context</translation>
        </message>
        <message>
            <source>{size} on disk</source>
            <translation>{size} on disk</translation>
        </message>
        <message>
            <source>Damaged: {why}</source>
            <translation>Damaged: {why}</translation>
        </message>
        <message>
            <source>Unload</source>
            <translation>Unload</translation>
        </message>
        <message>
            <source>Load</source>
            <translation>Load</translation>
        </message>
        <message>
            <source>Verify</source>
            <translation>Verify</translation>
        </message>
        <message>
            <source>Reveal</source>
            <translation>Reveal</translation>
        </message>
        <message>
            <source>Delete…</source>
            <translation>Delete…</translation>
        </message>
    </context>
    <context>
        <name>ModelsPage</name>
        <message>
            <source>Models on this machine</source>
            <translation>Models on this machine</translation>
        </message>
        <message>
            <source>Models to be had</source>
            <translation>Models to be had</translation>
        </message>
        <message>
            <source>On this machine</source>
            <translation>On this machine</translation>
        </message>
        <message>
            <source>Get more</source>
            <translation>Get more</translation>
        </message>
        <message>
            <source>Context for the sums</source>
            <translation>Context for the sums</translation>
        </message>
        <message>
            <source>Context</source>
            <translation>Context</translation>
        </message>
        <message>
            <source>Open a GGUF file…</source>
            <translation>Open a GGUF file…</translation>
        </message>
        <message>
            <source>Open a model folder…</source>
            <translation>Open a model folder…</translation>
        </message>
        <message>
            <source>Import a folder…</source>
            <translation>Import a folder…</translation>
        </message>
        <message>
            <source>Copy a model here, packed into fewer bits if you like</source>
            <translation>Copy a model here, packed into fewer bits if you like</translation>
        </message>
        <message>
            <source>Paste a repository id: owner/name</source>
            <translation>Paste a repository id: owner/name</translation>
        </message>
        <message>
            <source>Repository id</source>
            <translation>Repository id</translation>
        </message>
        <message>
            <source>Download</source>
            <translation>Download</translation>
        </message>
        <message>
            <source>Download the pasted repository</source>
            <translation>Download the pasted repository</translation>
        </message>
        <message>
            <source>There is no model here yet. “Get more” shows what can be had.</source>
            <translation>There is no model here yet. “Get more” shows what can be had.</translation>
        </message>
        <message>
            <source>{n} tokens</source>
            <translation>{n} tokens</translation>
        </message>
        <message>
            <source>Model folder to import</source>
            <translation>Model folder to import</translation>
        </message>
        <message>
            <source>Delete {name} from the disk? Chats with it stay.</source>
            <translation>Delete {name} from the disk? Chats with it stay.</translation>
        </message>
        <message>
            <source>Delete</source>
            <translation>Delete</translation>
        </message>
    </context>
    <context>
        <name>NoModel</name>
        <message>
            <source>Choose a model to begin</source>
            <translation>Choose a model to begin</translation>
        </message>
        <message>
            <source>Private: models and chats stay on this machine. You can write your first message now; it waits for the model.</source>
            <translation>Private: models and chats stay on this machine. You can write your first message now; it waits for the model.</translation>
        </message>
        <message>
            <source>Open a GGUF file…</source>
            <translation>Open a GGUF file…</translation>
        </message>
        <message>
            <source>Open a model folder…</source>
            <translation>Open a model folder…</translation>
        </message>
        <message>
            <source>More models</source>
            <translation>More models</translation>
        </message>
        <message>
            <source>Download {name} (about {size})</source>
            <translation>Download {name} (about {size})</translation>
        </message>
        <message>
            <source>Recommended for this machine. {note}</source>
            <translation>Recommended for this machine. {note}</translation>
        </message>
        <message>
            <source>Licence</source>
            <translation>Licence</translation>
        </message>
        <message>
            <source>Use {name}</source>
            <translation>Use {name}</translation>
        </message>
    </context>
    <context>
        <name>OfferCard</name>
        <message>
            <source>about {size}</source>
            <translation>about {size}</translation>
        </message>
        <message>
            <source>from {n} GB of memory</source>
            <translation>from {n} GB of memory</translation>
        </message>
        <message>
            <source>Recommended for this machine. {note}</source>
            <translation>Recommended for this machine. {note}</translation>
        </message>
        <message>
            <source>Download</source>
            <translation>Download</translation>
        </message>
        <message>
            <source>Download {name}</source>
            <translation>Download {name}</translation>
        </message>
        <message>
            <source>On this machine</source>
            <translation>On this machine</translation>
        </message>
    </context>
    <context>
        <name>PresetDialog</name>
        <message>
            <source>Presets</source>
            <translation>Presets</translation>
        </message>
        <message>
            <source>A preset keeps the system prompt and the sampling of a chat.</source>
            <translation>A preset keeps the system prompt and the sampling of a chat.</translation>
        </message>
        <message>
            <source>Remove</source>
            <translation>Remove</translation>
        </message>
        <message>
            <source>Close</source>
            <translation>Close</translation>
        </message>
    </context>
    <context>
        <name>Program</name>
        <message>
            <source>Inspect</source>
            <translation>Inspect</translation>
        </message>
        <message>
            <source>An answer is being written. Stop it and quit? The text so far is kept.</source>
            <translation>An answer is being written. Stop it and quit? The text so far is kept.</translation>
        </message>
        <message>
            <source>Stop and quit</source>
            <translation>Stop and quit</translation>
        </message>
        <message>
            <source>Keep writing</source>
            <translation>Keep writing</translation>
        </message>
        <message>
            <source>The settings could not be written; they hold until you quit.</source>
            <translation>The settings could not be written; they hold until you quit.</translation>
        </message>
        <message>
            <source>Something went wrong in the window; your chats are kept.</source>
            <translation>Something went wrong in the window; your chats are kept.</translation>
        </message>
    </context>
    <context>
        <name>PromptDialog</name>
        <message>
            <source>Prompts</source>
            <translation>Prompts</translation>
        </message>
        <message>
            <source>Name</source>
            <translation>Name</translation>
        </message>
        <message>
            <source>Prompt</source>
            <translation>Prompt</translation>
        </message>
        <message>
            <source>Summarise {{text}} in {{number}} sentences.</source>
            <translation>Summarise {{text}} in {{number}} sentences.</translation>
        </message>
        <message>
            <source>Save</source>
            <translation>Save</translation>
        </message>
        <message>
            <source>Remove</source>
            <translation>Remove</translation>
        </message>
        <message>
            <source>Use as system prompt</source>
            <translation>Use as system prompt</translation>
        </message>
        <message>
            <source>Use in message</source>
            <translation>Use in message</translation>
        </message>
    </context>
    <context>
        <name>Queue</name>
        <message>
            <source>Take this message back</source>
            <translation>Take this message back</translation>
        </message>
        <message>
            <source>Waits</source>
            <translation>Waits</translation>
        </message>
    </context>
    <context>
        <name>RequestsDialog</name>
        <message>
            <source>Connections</source>
            <translation>Connections</translation>
        </message>
        <message>
            <source>Requests that left this machine</source>
            <translation>Requests that left this machine</translation>
        </message>
        <message>
            <source>When</source>
            <translation>When</translation>
        </message>
        <message>
            <source>Where to</source>
            <translation>Where to</translation>
        </message>
        <message>
            <source>Answer</source>
            <translation>Answer</translation>
        </message>
        <message>
            <source>Received</source>
            <translation>Received</translation>
        </message>
        <message>
            <source>Clear the list</source>
            <translation>Clear the list</translation>
        </message>
        <message>
            <source>Close</source>
            <translation>Close</translation>
        </message>
        <message>
            <source>Only downloads that you start open a connection. Nothing else was sent.</source>
            <translation>Only downloads that you start open a connection. Nothing else was sent.</translation>
        </message>
        <message>
            <source>No connection was opened so far.</source>
            <translation>No connection was opened so far.</translation>
        </message>
    </context>
    <context>
        <name>RowPainter</name>
        <message>
            <source>Chat title</source>
            <translation>Chat title</translation>
        </message>
    </context>
    <context>
        <name>SamplingForm</name>
        <message>
            <source>Temperature</source>
            <translation>Temperature</translation>
        </message>
        <message>
            <source>Top-p</source>
            <translation>Top-p</translation>
        </message>
        <message>
            <source>Top-k</source>
            <translation>Top-k</translation>
        </message>
        <message>
            <source>Min-p</source>
            <translation>Min-p</translation>
        </message>
        <message>
            <source>Repetition penalty</source>
            <translation>Repetition penalty</translation>
        </message>
        <message>
            <source>Longest answer</source>
            <translation>Longest answer</translation>
        </message>
        <message>
            <source>Model's</source>
            <translation>Model's</translation>
        </message>
        <message>
            <source>Seed</source>
            <translation>Seed</translation>
        </message>
        <message>
            <source>Fixed seed</source>
            <translation>Fixed seed</translation>
        </message>
        <message>
            <source>Another seed</source>
            <translation>Another seed</translation>
        </message>
        <message>
            <source>0 always takes the likeliest token; higher is livelier.</source>
            <translation>0 always takes the likeliest token; higher is livelier.</translation>
        </message>
        <message>
            <source>Only the likeliest tokens that together have this probability.</source>
            <translation>Only the likeliest tokens that together have this probability.</translation>
        </message>
        <message>
            <source>Only so many of the likeliest tokens; 0 is all of them.</source>
            <translation>Only so many of the likeliest tokens; 0 is all of them.</translation>
        </message>
        <message>
            <source>Only tokens at least this likely, against the likeliest.</source>
            <translation>Only tokens at least this likely, against the likeliest.</translation>
        </message>
        <message>
            <source>Above 1 the model repeats itself less.</source>
            <translation>Above 1 the model repeats itself less.</translation>
        </message>
        <message>
            <source>In tokens; 0 takes the model's own limit.</source>
            <translation>In tokens; 0 takes the model's own limit.</translation>
        </message>
    </context>
    <context>
        <name>SettingsDialog</name>
        <message>
            <source>Settings</source>
            <translation>Settings</translation>
        </message>
        <message>
            <source>General</source>
            <translation>General</translation>
        </message>
        <message>
            <source>Chats</source>
            <translation>Chats</translation>
        </message>
        <message>
            <source>Engine</source>
            <translation>Engine</translation>
        </message>
        <message>
            <source>Privacy</source>
            <translation>Privacy</translation>
        </message>
        <message>
            <source>Shortcuts</source>
            <translation>Shortcuts</translation>
        </message>
        <message>
            <source>Close</source>
            <translation>Close</translation>
        </message>
        <message>
            <source>As the system</source>
            <translation>As the system</translation>
        </message>
        <message>
            <source>Light</source>
            <translation>Light</translation>
        </message>
        <message>
            <source>Dark</source>
            <translation>Dark</translation>
        </message>
        <message>
            <source>Appearance</source>
            <translation>Appearance</translation>
        </message>
        <message>
            <source>Text size</source>
            <translation>Text size</translation>
        </message>
        <message>
            <source>Language</source>
            <translation>Language</translation>
        </message>
        <message>
            <source>A new language holds from the next start.</source>
            <translation>A new language holds from the next start.</translation>
        </message>
        <message>
            <source>Increase contrast</source>
            <translation>Increase contrast</translation>
        </message>
        <message>
            <source>Reduce motion</source>
            <translation>Reduce motion</translation>
        </message>
        <message>
            <source>Ask before quitting while an answer is written</source>
            <translation>Ask before quitting while an answer is written</translation>
        </message>
        <message>
            <source>Return</source>
            <translation>Return</translation>
        </message>
        <message>
            <source>Ctrl (⌘) with Return</source>
            <translation>Ctrl (⌘) with Return</translation>
        </message>
        <message>
            <source>Send with</source>
            <translation>Send with</translation>
        </message>
        <message>
            <source>Paste as an attachment from</source>
            <translation>Paste as an attachment from</translation>
        </message>
        <message>
            <source> characters</source>
            <translation> characters</translation>
        </message>
        <message>
            <source>Let the model name chats when it has nothing else to do</source>
            <translation>Let the model name chats when it has nothing else to do</translation>
        </message>
        <message>
            <source>Search by meaning too (read in idle time, kept on this machine)</source>
            <translation>Search by meaning too (read in idle time, kept on this machine)</translation>
        </message>
        <message>
            <source>Context limit</source>
            <translation>Context limit</translation>
        </message>
        <message>
            <source>Model's</source>
            <translation>Model's</translation>
        </message>
        <message>
            <source>Say so and stop</source>
            <translation>Say so and stop</translation>
        </message>
        <message>
            <source>Leave out the oldest messages</source>
            <translation>Leave out the oldest messages</translation>
        </message>
        <message>
            <source>Keep the system prompt and roll</source>
            <translation>Keep the system prompt and roll</translation>
        </message>
        <message>
            <source>Rotate within the window</source>
            <translation>Rotate within the window</translation>
        </message>
        <message>
            <source>When it is full</source>
            <translation>When it is full</translation>
        </message>
        <message>
            <source>Unload the model after</source>
            <translation>Unload the model after</translation>
        </message>
        <message>
            <source> minutes</source>
            <translation> minutes</translation>
        </message>
        <message>
            <source>Never</source>
            <translation>Never</translation>
        </message>
        <message>
            <source> GB</source>
            <translation> GB</translation>
        </message>
        <message>
            <source>Automatic</source>
            <translation>Automatic</translation>
        </message>
        <message>
            <source>Memory for read prompts</source>
            <translation>Memory for read prompts</translation>
        </message>
        <message>
            <source>None</source>
            <translation>None</translation>
        </message>
        <message>
            <source>Disk for read prompts</source>
            <translation>Disk for read prompts</translation>
        </message>
        <message>
            <source>As they are</source>
            <translation>As they are</translation>
        </message>
        <message>
            <source>8 bit</source>
            <translation>8 bit</translation>
        </message>
        <message>
            <source>4 bit</source>
            <translation>4 bit</translation>
        </message>
        <message>
            <source>Keys and values</source>
            <translation>Keys and values</translation>
        </message>
        <message>
            <source>Alternatives kept with each token</source>
            <translation>Alternatives kept with each token</translation>
        </message>
        <message>
            <source>Run the engine in a process of its own (from the next start)</source>
            <translation>Run the engine in a process of its own (from the next start)</translation>
        </message>
        <message>
            <source>Offline: never open a connection, downloads included</source>
            <translation>Offline: never open a connection, downloads included</translation>
        </message>
        <message>
            <source>Chats, prompts and answers stay on this machine. Nothing is sent anywhere; the network is used for model downloads that you start, and for nothing else.</source>
            <translation>Chats, prompts and answers stay on this machine. Nothing is sent anywhere; the network is used for model downloads that you start, and for nothing else.</translation>
        </message>
        <message>
            <source>Chats and settings</source>
            <translation>Chats and settings</translation>
        </message>
        <message>
            <source>What can be made again</source>
            <translation>What can be made again</translation>
        </message>
        <message>
            <source>Log (counts and times, never text)</source>
            <translation>Log (counts and times, never text)</translation>
        </message>
        <message>
            <source>Connections…</source>
            <translation>Connections…</translation>
        </message>
        <message>
            <source>Every request that left this machine</source>
            <translation>Every request that left this machine</translation>
        </message>
        <message>
            <source>Forget the access token</source>
            <translation>Forget the access token</translation>
        </message>
        <message>
            <source>The hub's token in the system's keychain</source>
            <translation>The hub's token in the system's keychain</translation>
        </message>
        <message>
            <source>Models</source>
            <translation>Models</translation>
        </message>
        <message>
            <source>Another folder for models…</source>
            <translation>Another folder for models…</translation>
        </message>
        <message>
            <source>The usual folder</source>
            <translation>The usual folder</translation>
        </message>
        <message>
            <source>Export all chats…</source>
            <translation>Export all chats…</translation>
        </message>
        <message>
            <source>Erase all chats…</source>
            <translation>Erase all chats…</translation>
        </message>
        <message>
            <source> tokens</source>
            <translation> tokens</translation>
        </message>
    </context>
    <context>
        <name>Sharing</name>
        <message>
            <source>Written to {path}.</source>
            <translation>Written to {path}.</translation>
        </message>
        <message numerus="yes">
            <source>%n chat(s) were imported.</source>
            <translation>
                <numerusform>%n chat were imported.</numerusform>
                <numerusform>%n chats were imported.</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>%n could not be read.</source>
            <translation>
                <numerusform>%n could not be read.</numerusform>
                <numerusform>%n could not be read.</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>Shelf</name>
        <message>
            <source>About {weights} of weights + {cache} for {context} tokens of context + {scratch} to read a prompt = {needed}, {share} % of the {limit} that this machine can hold.</source>
            <translation>About {weights} of weights + {cache} for {context} tokens of context + {scratch} to read a prompt = {needed}, {share} % of the {limit} that this machine can hold.</translation>
        </message>
        <message>
            <source>This system has no keychain; the token is kept until you quit.</source>
            <translation>This system has no keychain; the token is kept until you quit.</translation>
        </message>
        <message>
            <source>{size} are free again.</source>
            <translation>{size} are free again.</translation>
        </message>
        <message>
            <source>Verifying…</source>
            <translation>Verifying…</translation>
        </message>
        <message>
            <source>Importing {name}…</source>
            <translation>Importing {name}…</translation>
        </message>
        <message>
            <source>{name} is here now.</source>
            <translation>{name} is here now.</translation>
        </message>
        <message>
            <source>Deleting…</source>
            <translation>Deleting…</translation>
        </message>
        <message>
            <source>Verified: whole and as it should be.</source>
            <translation>Verified: whole and as it should be.</translation>
        </message>
        <message>
            <source>A model has arrived and is whole.</source>
            <translation>A model has arrived and is whole.</translation>
        </message>
    </context>
    <context>
        <name>ShortcutPage</name>
        <message>
            <source>Shortcuts</source>
            <translation>Shortcuts</translation>
        </message>
        <message>
            <source>Restore the default shortcuts</source>
            <translation>Restore the default shortcuts</translation>
        </message>
        <message>
            <source>taken by “{name}”</source>
            <translation>taken by “{name}”</translation>
        </message>
    </context>
    <context>
        <name>ShortcutSheet</name>
        <message>
            <source>Shortcuts</source>
            <translation>Shortcuts</translation>
        </message>
        <message>
            <source>Close</source>
            <translation>Close</translation>
        </message>
    </context>
    <context>
        <name>Sidebar</name>
        <message>
            <source>Search chats</source>
            <translation>Search chats</translation>
        </message>
        <message>
            <source>New chat</source>
            <translation>New chat</translation>
        </message>
        <message>
            <source>Nothing found</source>
            <translation>Nothing found</translation>
        </message>
        <message>
            <source>Trash</source>
            <translation>Trash</translation>
        </message>
        <message>
            <source>Models</source>
            <translation>Models</translation>
        </message>
        <message>
            <source>Settings</source>
            <translation>Settings</translation>
        </message>
        <message>
            <source>Chat</source>
            <translation>Chat</translation>
        </message>
        <message>
            <source>Rename</source>
            <translation>Rename</translation>
        </message>
        <message>
            <source>Unpin</source>
            <translation>Unpin</translation>
        </message>
        <message>
            <source>Pin</source>
            <translation>Pin</translation>
        </message>
        <message>
            <source>Move to folder</source>
            <translation>Move to folder</translation>
        </message>
        <message>
            <source>No folder</source>
            <translation>No folder</translation>
        </message>
        <message>
            <source>New folder…</source>
            <translation>New folder…</translation>
        </message>
        <message>
            <source>Tags…</source>
            <translation>Tags…</translation>
        </message>
        <message>
            <source>Export…</source>
            <translation>Export…</translation>
        </message>
        <message>
            <source>Move to Trash</source>
            <translation>Move to Trash</translation>
        </message>
    </context>
    <context>
        <name>StatusLine</name>
        <message>
            <source>Status</source>
            <translation>Status</translation>
        </message>
        <message>
            <source>Progress</source>
            <translation>Progress</translation>
        </message>
        <message>
            <source>Offline: nothing leaves this machine</source>
            <translation>Offline: nothing leaves this machine</translation>
        </message>
        <message>
            <source>Offline</source>
            <translation>Offline</translation>
        </message>
        <message>
            <source>Waiting for the model</source>
            <translation>Waiting for the model</translation>
        </message>
        <message>
            <source>No model yet; a message you send waits for it</source>
            <translation>No model yet; a message you send waits for it</translation>
        </message>
        <message>
            <source>Ready</source>
            <translation>Ready</translation>
        </message>
        <message>
            <source>{what} · {percent}</source>
            <translation>{what} · {percent}</translation>
        </message>
        <message>
            <source>Reading {percent}</source>
            <translation>Reading {percent}</translation>
        </message>
        <message>
            <source>{n} tokens</source>
            <translation>{n} tokens</translation>
        </message>
        <message>
            <source>({n} reused)</source>
            <translation>({n} reused)</translation>
        </message>
        <message>
            <source>Thinking · {n} tokens</source>
            <translation>Thinking · {n} tokens</translation>
        </message>
        <message>
            <source>Writing</source>
            <translation>Writing</translation>
        </message>
        <message>
            <source>Writing · {rate} tok/s · {n} tokens</source>
            <translation>Writing · {rate} tok/s · {n} tokens</translation>
        </message>
    </context>
    <context>
        <name>Talking</name>
        <message>
            <source>Gemma</source>
            <translation>Gemma</translation>
        </message>
        <message>
            <source>You</source>
            <translation>You</translation>
        </message>
    </context>
    <context>
        <name>TokenDialog</name>
        <message>
            <source>Access token</source>
            <translation>Access token</translation>
        </message>
        <message>
            <source>{name} asks for an accepted licence. Accept it on its page, make an access token that may read in the settings of your account there, and paste it here. It is kept in the system's keychain and sent to the hub alone.</source>
            <translation>{name} asks for an accepted licence. Accept it on its page, make an access token that may read in the settings of your account there, and paste it here. It is kept in the system's keychain and sent to the hub alone.</translation>
        </message>
        <message>
            <source>Use it</source>
            <translation>Use it</translation>
        </message>
        <message>
            <source>Cancel</source>
            <translation>Cancel</translation>
        </message>
    </context>
    <context>
        <name>TransferCard</name>
        <message>
            <source>Open the licence page</source>
            <translation>Open the licence page</translation>
        </message>
        <message>
            <source>Paste a token…</source>
            <translation>Paste a token…</translation>
        </message>
        <message>
            <source>Pause</source>
            <translation>Pause</translation>
        </message>
        <message>
            <source>Go on</source>
            <translation>Go on</translation>
        </message>
        <message>
            <source>Discard</source>
            <translation>Discard</translation>
        </message>
    </context>
    <context>
        <name>TrashDialog</name>
        <message>
            <source>Trash</source>
            <translation>Trash</translation>
        </message>
        <message>
            <source>Deleted chats</source>
            <translation>Deleted chats</translation>
        </message>
        <message numerus="yes">
            <source>Chats stay here for %n day(s); then they go for good.</source>
            <translation>
                <numerusform>Chats stay here for %n day; then they go for good.</numerusform>
                <numerusform>Chats stay here for %n days; then they go for good.</numerusform>
            </translation>
        </message>
        <message>
            <source>The trash is empty.</source>
            <translation>The trash is empty.</translation>
        </message>
        <message>
            <source>Restore</source>
            <translation>Restore</translation>
        </message>
        <message>
            <source>Delete for good</source>
            <translation>Delete for good</translation>
        </message>
        <message>
            <source>Empty the trash</source>
            <translation>Empty the trash</translation>
        </message>
        <message>
            <source>Close</source>
            <translation>Close</translation>
        </message>
    </context>
    <context>
        <name>Tuning</name>
        <message>
            <source>The next message does not fit; start a new chat or raise the limit.</source>
            <translation>The next message does not fit; start a new chat or raise the limit.</translation>
        </message>
        <message>
            <source>The oldest messages will be left out of the next answer.</source>
            <translation>The oldest messages will be left out of the next answer.</translation>
        </message>
    </context>
    <context>
        <name>UndoBar</name>
        <message>
            <source>Undo</source>
            <translation>Undo</translation>
        </message>
    </context>
    <context>
        <name>VariantForm</name>
        <message>
            <source>Temperature</source>
            <translation>Temperature</translation>
        </message>
        <message>
            <source>Longest answer</source>
            <translation>Longest answer</translation>
        </message>
        <message>
            <source>Complete the text</source>
            <translation>Complete the text</translation>
        </message>
        <message>
            <source>Remove</source>
            <translation>Remove</translation>
        </message>
        <message>
            <source>Copy as another</source>
            <translation>Copy as another</translation>
        </message>
        <message>
            <source>Name</source>
            <translation>Name</translation>
        </message>
        <message>
            <source>System prompt</source>
            <translation>System prompt</translation>
        </message>
        <message>
            <source>None</source>
            <translation>None</translation>
        </message>
        <message>
            <source>Template</source>
            <translation>Template</translation>
        </message>
        <message>
            <source>Explain {{topic}} in one sentence.</source>
            <translation>Explain {{topic}} in one sentence.</translation>
        </message>
        <message>
            <source>Variant</source>
            <translation>Variant</translation>
        </message>
    </context>
    <context>
        <name>VoteDialog</name>
        <message>
            <source>Blind vote</source>
            <translation>Blind vote</translation>
        </message>
        <message>
            <source>Left</source>
            <translation>Left</translation>
        </message>
        <message>
            <source>Right</source>
            <translation>Right</translation>
        </message>
        <message>
            <source>Left is better</source>
            <translation>Left is better</translation>
        </message>
        <message>
            <source>Neither</source>
            <translation>Neither</translation>
        </message>
        <message>
            <source>Right is better</source>
            <translation>Right is better</translation>
        </message>
        <message>
            <source>{name}: {wins} won, {losses} lost, {ties} even</source>
            <translation>{name}: {wins} won, {losses} lost, {ties} even</translation>
        </message>
        <message>
            <source>That was all.</source>
            <translation>That was all.</translation>
        </message>
        <message>
            <source>Which answer is better? ({n} of {total})</source>
            <translation>Which answer is better? ({n} of {total})</translation>
        </message>
    </context>
    <context>
        <name>Welcome</name>
        <message>
            <source>What would you like to try?</source>
            <translation>What would you like to try?</translation>
        </message>
        <message>
            <source>Private: chats stay on this machine.</source>
            <translation>Private: chats stay on this machine.</translation>
        </message>
        <message>
            <source>Explain how rainbows form, in three sentences.</source>
            <translation>Explain how rainbows form, in three sentences.</translation>
        </message>
        <message>
            <source>Write a short poem about a quiet morning.</source>
            <translation>Write a short poem about a quiet morning.</translation>
        </message>
        <message>
            <source>Give me five names for a small bakery.</source>
            <translation>Give me five names for a small bakery.</translation>
        </message>
        <message>
            <source>Write a Python function that finds prime numbers.</source>
            <translation>Write a Python function that finds prime numbers.</translation>
        </message>
        <message>
            <source>What is the capital of France?</source>
            <translation>What is the capital of France?</translation>
        </message>
        <message>
            <source>Name three colours of the rainbow.</source>
            <translation>Name three colours of the rainbow.</translation>
        </message>
        <message>
            <source>Why is the sky blue?</source>
            <translation>Why is the sky blue?</translation>
        </message>
        <message>
            <source>Tell me a short story about a fox.</source>
            <translation>Tell me a short story about a fox.</translation>
        </message>
    </context>
</TS>
