<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="ja" sourcelanguage="en">
    <context>
        <name>Bar</name>
        <message>
            <source>Close</source>
            <translation>閉じる</translation>
        </message>
    </context>
    <context>
        <name>BranchMap</name>
        <message>
            <source>Branch map</source>
            <translation>分岐の一覧</translation>
        </message>
        <message>
            <source>Messages and their versions</source>
            <translation>メッセージとその版</translation>
        </message>
        <message>
            <source>Show</source>
            <translation>表示</translation>
        </message>
        <message>
            <source>Close</source>
            <translation>閉じる</translation>
        </message>
        <message>
            <source>What is shown now is bold; a branch begins with each version.</source>
            <translation>太字が現在の表示です。版ごとに枝が始まります。</translation>
        </message>
    </context>
    <context>
        <name>ChatList</name>
        <message>
            <source>Chats</source>
            <translation>チャット</translation>
        </message>
        <message>
            <source>New chat</source>
            <translation>新しいチャット</translation>
        </message>
        <message>
            <source>Today</source>
            <translation>今日</translation>
        </message>
        <message>
            <source>Previous 7 days</source>
            <translation>過去7日間</translation>
        </message>
        <message>
            <source>Pinned</source>
            <translation>ピン留め</translation>
        </message>
        <message>
            <source>Older</source>
            <translation>それ以前</translation>
        </message>
        <message>
            <source>writing</source>
            <translation>書き込み中</translation>
        </message>
        <message>
            <source>waiting</source>
            <translation>待機中</translation>
        </message>
        <message>
            <source>new answer</source>
            <translation>新しい回答</translation>
        </message>
    </context>
    <context>
        <name>Chats</name>
        <message>
            <source>The message and what followed it are deleted.</source>
            <translation>メッセージとそれ以降を削除しました。</translation>
        </message>
        <message>
            <source>“{title}” has an answer.</source>
            <translation>「{title}」に回答が届きました。</translation>
        </message>
        <message>
            <source>“{name}” is no GGUF model and was left alone.</source>
            <translation>「{name}」はGGUFモデルではないため、そのままにしました。</translation>
        </message>
    </context>
    <context>
        <name>Chip</name>
        <message>
            <source>Remove {name}</source>
            <translation>{name}を外す</translation>
        </message>
    </context>
    <context>
        <name>Choosing</name>
        <message>
            <source>{family}, {quantisation}, on {device}</source>
            <translation>{family}、{quantisation}、{device}</translation>
        </message>
        <message>
            <source>{size} GB in memory</source>
            <translation>メモリ {size} GB</translation>
        </message>
    </context>
    <context>
        <name>Commands</name>
        <message>
            <source>&amp;File</source>
            <translation>ファイル(&amp;F)</translation>
        </message>
        <message>
            <source>New chat</source>
            <translation>新しいチャット</translation>
        </message>
        <message>
            <source>New temporary chat</source>
            <translation>新しい一時チャット</translation>
        </message>
        <message>
            <source>Open a model…</source>
            <translation>モデルを開く…</translation>
        </message>
        <message>
            <source>Import chats…</source>
            <translation>チャットを読み込む…</translation>
        </message>
        <message>
            <source>Export this chat…</source>
            <translation>このチャットを書き出す…</translation>
        </message>
        <message>
            <source>Export all chats…</source>
            <translation>すべてのチャットを書き出す…</translation>
        </message>
        <message>
            <source>Settings…</source>
            <translation>設定…</translation>
        </message>
        <message>
            <source>Quit Cabochon</source>
            <translation>Cabochonを終了</translation>
        </message>
        <message>
            <source>&amp;Edit</source>
            <translation>編集(&amp;E)</translation>
        </message>
        <message>
            <source>Find in this chat</source>
            <translation>このチャット内を検索</translation>
        </message>
        <message>
            <source>Search all chats</source>
            <translation>すべてのチャットを検索</translation>
        </message>
        <message>
            <source>Copy the last answer</source>
            <translation>最後の回答をコピー</translation>
        </message>
        <message>
            <source>&amp;View</source>
            <translation>表示(&amp;V)</translation>
        </message>
        <message>
            <source>Chat</source>
            <translation>チャット</translation>
        </message>
        <message>
            <source>Prompt Lab</source>
            <translation>プロンプトラボ</translation>
        </message>
        <message>
            <source>Models</source>
            <translation>モデル</translation>
        </message>
        <message>
            <source>Sidebar</source>
            <translation>サイドバー</translation>
        </message>
        <message>
            <source>Inspector</source>
            <translation>インスペクタ</translation>
        </message>
        <message>
            <source>Larger text</source>
            <translation>文字を大きく</translation>
        </message>
        <message>
            <source>Smaller text</source>
            <translation>文字を小さく</translation>
        </message>
        <message>
            <source>&amp;Chat</source>
            <translation>チャット(&amp;C)</translation>
        </message>
        <message>
            <source>Stop</source>
            <translation>停止</translation>
        </message>
        <message>
            <source>Stop thinking and answer</source>
            <translation>考えるのをやめて答える</translation>
        </message>
        <message>
            <source>Regenerate</source>
            <translation>再生成</translation>
        </message>
        <message>
            <source>Edit the last message</source>
            <translation>最後のメッセージを編集</translation>
        </message>
        <message>
            <source>Branch from the last answer</source>
            <translation>最後の回答から分岐</translation>
        </message>
        <message>
            <source>Inspect the last answer</source>
            <translation>最後の回答を調べる</translation>
        </message>
        <message>
            <source>Branch map…</source>
            <translation>分岐の一覧…</translation>
        </message>
        <message>
            <source>Previous version</source>
            <translation>前の版</translation>
        </message>
        <message>
            <source>Next version</source>
            <translation>次の版</translation>
        </message>
        <message>
            <source>Previous chat</source>
            <translation>前のチャット</translation>
        </message>
        <message>
            <source>Next chat</source>
            <translation>次のチャット</translation>
        </message>
        <message>
            <source>&amp;Help</source>
            <translation>ヘルプ(&amp;H)</translation>
        </message>
        <message>
            <source>All shortcuts</source>
            <translation>すべてのショートカット</translation>
        </message>
        <message>
            <source>About Cabochon</source>
            <translation>Cabochonについて</translation>
        </message>
    </context>
    <context>
        <name>Composer</name>
        <message>
            <source>Message</source>
            <translation>メッセージ</translation>
        </message>
        <message>
            <source>Write a message</source>
            <translation>メッセージを書く</translation>
        </message>
        <message>
            <source>Attach files</source>
            <translation>ファイルを添付</translation>
        </message>
        <message>
            <source>Send</source>
            <translation>送信</translation>
        </message>
        <message numerus="yes">
            <source>%n token(s)</source>
            <translation>
                <numerusform>%nトークン</numerusform>
            </translation>
        </message>
        <message>
            <source>Editing a message; the old one stays as a version</source>
            <translation>メッセージを編集中です。元のメッセージは版として残ります</translation>
        </message>
        <message>
            <source>Cancel</source>
            <translation>キャンセル</translation>
        </message>
        <message>
            <source>Stop</source>
            <translation>停止</translation>
        </message>
        <message>
            <source>Stop (Esc)</source>
            <translation>停止 (Esc)</translation>
        </message>
        <message>
            <source>Send when ready</source>
            <translation>準備ができたら送信</translation>
        </message>
    </context>
    <context>
        <name>Composing</name>
        <message numerus="yes">
            <source>%n token(s)</source>
            <translation>
                <numerusform>%nトークン</numerusform>
            </translation>
        </message>
        <message>
            <source>only its beginning</source>
            <translation>先頭部分のみ</translation>
        </message>
    </context>
    <context>
        <name>ContextMeter</name>
        <message>
            <source>Context in use</source>
            <translation>使用中のコンテキスト</translation>
        </message>
        <message>
            <source>{used} of {total} tokens</source>
            <translation>{total}トークン中{used}トークン</translation>
        </message>
        <message>
            <source>Known when a model is loaded</source>
            <translation>モデルを読み込むと分かります</translation>
        </message>
    </context>
    <context>
        <name>Dialogs</name>
        <message>
            <source>Folder for models</source>
            <translation>モデルのフォルダ</translation>
        </message>
        <message>
            <source>Save as preset</source>
            <translation>プリセットとして保存</translation>
        </message>
        <message>
            <source>Name of the preset</source>
            <translation>プリセットの名前</translation>
        </message>
        <message>
            <source>New folder</source>
            <translation>新しいフォルダ</translation>
        </message>
        <message>
            <source>Name of the folder</source>
            <translation>フォルダの名前</translation>
        </message>
        <message>
            <source>Tags</source>
            <translation>タグ</translation>
        </message>
        <message>
            <source>Tags, with commas between</source>
            <translation>タグ（コンマ区切り）</translation>
        </message>
        <message>
            <source>Attach files</source>
            <translation>ファイルを添付</translation>
        </message>
        <message>
            <source>Open a GGUF file</source>
            <translation>GGUFファイルを開く</translation>
        </message>
        <message>
            <source>Open a model folder</source>
            <translation>モデルフォルダを開く</translation>
        </message>
        <message>
            <source>Import chats</source>
            <translation>チャットを読み込む</translation>
        </message>
        <message>
            <source>Export</source>
            <translation>書き出す</translation>
        </message>
        <message>
            <source>Open inputs</source>
            <translation>入力を開く</translation>
        </message>
        <message>
            <source>Export results</source>
            <translation>結果を書き出す</translation>
        </message>
        <message>
            <source>Cabochon {version}. Private chat with Google's Gemma models, and a bench for prompts. Chats stay on this machine. Gemma is provided under the Gemma terms of use (ai.google.dev/gemma/terms).</source>
            <translation>Cabochon {version}。GoogleのGemmaモデルとのプライベートなチャットと、プロンプトの作業台です。チャットはこのコンピュータから出ません。GemmaはGemma利用規約（ai.google.dev/gemma/terms）に基づいて提供されます。</translation>
        </message>
        <message>
            <source>Close</source>
            <translation>閉じる</translation>
        </message>
        <message>
            <source>Erase every chat, prompt, preset and record on this machine? This cannot be taken back; export them first if in doubt.</source>
            <translation>このコンピュータ上のすべてのチャット、プロンプト、プリセット、記録を消去しますか？元に戻せません。迷う場合は先に書き出してください。</translation>
        </message>
        <message>
            <source>Erase everything</source>
            <translation>すべて消去</translation>
        </message>
        <message>
            <source>Delete this chat for good? This cannot be taken back.</source>
            <translation>このチャットを完全に削除しますか？元に戻せません。</translation>
        </message>
        <message>
            <source>Delete for good</source>
            <translation>完全に削除</translation>
        </message>
        <message>
            <source>Delete everything in the trash for good? This cannot be taken back.</source>
            <translation>ゴミ箱の中身をすべて完全に削除しますか？元に戻せません。</translation>
        </message>
        <message>
            <source>Empty the trash</source>
            <translation>ゴミ箱を空にする</translation>
        </message>
    </context>
    <context>
        <name>Empty</name>
        <message>
            <source>New chat</source>
            <translation>新しいチャット</translation>
        </message>
        <message>
            <source>No model</source>
            <translation>モデルなし</translation>
        </message>
    </context>
    <context>
        <name>ErrorBar</name>
        <message>
            <source>Copy details</source>
            <translation>詳細をコピー</translation>
        </message>
        <message>
            <source>Copied</source>
            <translation>コピーしました</translation>
        </message>
    </context>
    <context>
        <name>Experimenting</name>
        <message>
            <source>The last experiment cannot be read; it is kept.</source>
            <translation>前回の実験を読み取れません。データは保持されています。</translation>
        </message>
        <message numerus="yes">
            <source>%n row(s) were read.</source>
            <translation>
                <numerusform>%n行を読み込みました。</numerusform>
            </translation>
        </message>
        <message>
            <source>{name} cannot be read as text.</source>
            <translation>{name}はテキストとして読み取れません。</translation>
        </message>
        <message>
            <source>{cells} cells: {read} prompt tokens read, {written} tokens written.</source>
            <translation>{cells}セル：プロンプト{read}トークンを読み、{written}トークンを書きました。</translation>
        </message>
        <message>
            <source>log-likelihood {total}, {each} a token</source>
            <translation>対数尤度 {total}、1トークンあたり {each}</translation>
        </message>
        <message numerus="yes">
            <source>%n token(s)</source>
            <translation>
                <numerusform>%nトークン</numerusform>
            </translation>
        </message>
        <message>
            <source>Results are written as .csv, .jsonl or .md.</source>
            <translation>結果は .csv、.jsonl、.md で書き出せます。</translation>
        </message>
        <message>
            <source>Not written: {why}.</source>
            <translation>書き出せませんでした：{why}。</translation>
        </message>
        <message>
            <source>Written to {path}.</source>
            <translation>{path}に書き出しました。</translation>
        </message>
        <message>
            <source>A vote needs the results of two variants; run them first.</source>
            <translation>投票には2つの案の結果が必要です。先に実行してください。</translation>
        </message>
    </context>
    <context>
        <name>FindBar</name>
        <message>
            <source>Find in this chat</source>
            <translation>このチャット内を検索</translation>
        </message>
        <message>
            <source>Previous find</source>
            <translation>前の一致</translation>
        </message>
        <message>
            <source>Next find</source>
            <translation>次の一致</translation>
        </message>
        <message>
            <source>Close</source>
            <translation>閉じる</translation>
        </message>
        <message>
            <source>Not found</source>
            <translation>見つかりません</translation>
        </message>
        <message>
            <source>{n} of {total}</source>
            <translation>{total}件中{n}件目</translation>
        </message>
    </context>
    <context>
        <name>Header</name>
        <message>
            <source>Sidebar</source>
            <translation>サイドバー</translation>
        </message>
        <message>
            <source>Inspector</source>
            <translation>インスペクタ</translation>
        </message>
        <message>
            <source>Chat</source>
            <translation>チャット</translation>
        </message>
        <message>
            <source>Lab</source>
            <translation>ラボ</translation>
        </message>
        <message>
            <source>Models</source>
            <translation>モデル</translation>
        </message>
        <message>
            <source>No model</source>
            <translation>モデルなし</translation>
        </message>
        <message>
            <source>Model: {name}</source>
            <translation>モデル：{name}</translation>
        </message>
        <message>
            <source>Open a model…</source>
            <translation>モデルを開く…</translation>
        </message>
        <message>
            <source>Unload the model</source>
            <translation>モデルを解放</translation>
        </message>
    </context>
    <context>
        <name>ImportDialog</name>
        <message>
            <source>Import a model</source>
            <translation>モデルを読み込む</translation>
        </message>
        <message>
            <source>{name} is copied into the folder for models; the original stays. Weights of 16 bits can be packed: 4 bits need a quarter of the memory, 8 bits half of it.</source>
            <translation>{name}をモデル用フォルダにコピーします。元のファイルは残ります。16ビットの重みは圧縮できます。4ビットならメモリは4分の1、8ビットなら半分です。</translation>
        </message>
        <message>
            <source>Weights</source>
            <translation>重み</translation>
        </message>
        <message>
            <source>As they are</source>
            <translation>そのまま</translation>
        </message>
        <message>
            <source>Packed into {n} bits</source>
            <translation>{n}ビットに圧縮</translation>
        </message>
        <message>
            <source>Import</source>
            <translation>読み込む</translation>
        </message>
        <message>
            <source>Cancel</source>
            <translation>キャンセル</translation>
        </message>
    </context>
    <context>
        <name>InspectPanel</name>
        <message>
            <source>Choose Inspect on an answer to look inside.</source>
            <translation>回答の「調べる」を選ぶと中身が見られます。</translation>
        </message>
        <message>
            <source>Tokens that could well have been others are tinted and underlined in the answer; point at one to see the alternatives, choose one to go on from there.</source>
            <translation>ほかの語になり得たトークンには色と下線が付きます。指すと候補が現れ、選ぶとそこから続きます。</translation>
        </message>
        <message>
            <source>Make it again and compare</source>
            <translation>もう一度作って比べる</translation>
        </message>
        <message>
            <source>Close</source>
            <translation>閉じる</translation>
        </message>
        <message>
            <source>Show token ids</source>
            <translation>トークンIDを表示</translation>
        </message>
        <message>
            <source>Prompt as the model sees it</source>
            <translation>モデルから見たプロンプト</translation>
        </message>
        <message>
            <source>Token of the answer</source>
            <translation>回答のトークン</translation>
        </message>
        <message>
            <source>Look</source>
            <translation>見る</translation>
        </message>
        <message>
            <source>Look into the layers</source>
            <translation>層をのぞく</translation>
        </message>
        <message>
            <source>Guesses of each layer</source>
            <translation>各層の予測</translation>
        </message>
        <message>
            <source>Layer</source>
            <translation>層</translation>
        </message>
        <message>
            <source>Would say</source>
            <translation>予測</translation>
        </message>
        <message>
            <source>{n} tokens, {cached} of them kept</source>
            <translation>{n}トークン、うち{cached}は保持済み</translation>
        </message>
        <message>
            <source>Prompt</source>
            <translation>プロンプト</translation>
        </message>
        <message>
            <source>Layers</source>
            <translation>層</translation>
        </message>
    </context>
    <context>
        <name>Inspecting</name>
        <message>
            <source>No record was kept of this answer.</source>
            <translation>この回答の記録はありません。</translation>
        </message>
        <message>
            <source>{model} · {quantisation} · seed {seed} · {n} tokens</source>
            <translation>{model} · {quantisation} · シード {seed} · {n}トークン</translation>
        </message>
        <message>
            <source>Making it again…</source>
            <translation>作り直しています…</translation>
        </message>
        <message>
            <source>Making it again: {done} of {total} tokens</source>
            <translation>作り直しています：{total}トークン中{done}</translation>
        </message>
    </context>
    <context>
        <name>Inspector</name>
        <message>
            <source>System prompt</source>
            <translation>システムプロンプト</translation>
        </message>
        <message>
            <source>How the model should behave in this chat</source>
            <translation>このチャットでのモデルの振る舞い</translation>
        </message>
        <message>
            <source>Preset</source>
            <translation>プリセット</translation>
        </message>
        <message>
            <source>Save as preset…</source>
            <translation>プリセットとして保存…</translation>
        </message>
        <message>
            <source>Presets…</source>
            <translation>プリセット…</translation>
        </message>
        <message>
            <source>Prompts…</source>
            <translation>プロンプト…</translation>
        </message>
        <message>
            <source>Mode</source>
            <translation>モード</translation>
        </message>
        <message>
            <source>Chat</source>
            <translation>チャット</translation>
        </message>
        <message>
            <source>Complete the text</source>
            <translation>文章を補完</translation>
        </message>
        <message>
            <source>Inspector</source>
            <translation>インスペクタ</translation>
        </message>
        <message>
            <source>No preset</source>
            <translation>プリセットなし</translation>
        </message>
        <message>
            <source>• modified</source>
            <translation>• 変更あり</translation>
        </message>
        <message>
            <source>Sampling</source>
            <translation>サンプリング</translation>
        </message>
        <message>
            <source>Context</source>
            <translation>コンテキスト</translation>
        </message>
    </context>
    <context>
        <name>LabPage</name>
        <message>
            <source>Run</source>
            <translation>実行</translation>
        </message>
        <message>
            <source>Stop</source>
            <translation>停止</translation>
        </message>
        <message>
            <source>Stop column</source>
            <translation>列を停止</translation>
        </message>
        <message>
            <source>Seeds</source>
            <translation>シード</translation>
        </message>
        <message>
            <source>Add input</source>
            <translation>入力を追加</translation>
        </message>
        <message>
            <source>More</source>
            <translation>その他</translation>
        </message>
        <message>
            <source>Open inputs…</source>
            <translation>入力を開く…</translation>
        </message>
        <message>
            <source>Paste inputs</source>
            <translation>入力を貼り付け</translation>
        </message>
        <message>
            <source>Blind vote…</source>
            <translation>ブラインド投票…</translation>
        </message>
        <message>
            <source>Export…</source>
            <translation>書き出す…</translation>
        </message>
        <message>
            <source>Answer to score</source>
            <translation>採点する回答</translation>
        </message>
        <message>
            <source>Score mode: the answer you wish for, instead of writing new ones</source>
            <translation>採点モード：新しく書く代わりに、望む回答を入力</translation>
        </message>
        <message>
            <source>JSON schema</source>
            <translation>JSONスキーマ</translation>
        </message>
        <message>
            <source>JSON schema that every answer is checked against</source>
            <translation>すべての回答を検査するJSONスキーマ</translation>
        </message>
        <message>
            <source>Results</source>
            <translation>結果</translation>
        </message>
        <message>
            <source>Answer of the chosen cell</source>
            <translation>選んだセルの回答</translation>
        </message>
        <message>
            <source>Seed</source>
            <translation>シード</translation>
        </message>
        <message>
            <source>Pin</source>
            <translation>ピン留め</translation>
        </message>
        <message>
            <source>Open as chat</source>
            <translation>チャットで開く</translation>
        </message>
        <message>
            <source>reading…</source>
            <translation>読み取り中…</translation>
        </message>
        <message>
            <source>writing…</source>
            <translation>書き込み中…</translation>
        </message>
        <message>
            <source>Answer</source>
            <translation>回答</translation>
        </message>
        <message>
            <source>Seed {n}</source>
            <translation>シード {n}</translation>
        </message>
        <message>
            <source>Variant {n}</source>
            <translation>案 {n}</translation>
        </message>
        <message>
            <source>Other answers are compared with the pinned one, word by word.</source>
            <translation>ほかの回答はピン留めした回答と単語ごとに比べます。</translation>
        </message>
    </context>
    <context>
        <name>Listing</name>
        <message>
            <source>Temporary chat</source>
            <translation>一時チャット</translation>
        </message>
        <message>
            <source>New chat</source>
            <translation>新しいチャット</translation>
        </message>
        <message>
            <source>“{title}” is in the Trash.</source>
            <translation>「{title}」をゴミ箱に移しました。</translation>
        </message>
    </context>
    <context>
        <name>Menus</name>
        <message>
            <source>All chats</source>
            <translation>すべてのチャット</translation>
        </message>
        <message>
            <source>Written to {path}.</source>
            <translation>{path}に書き出しました。</translation>
        </message>
    </context>
    <context>
        <name>ModelCard</name>
        <message>
            <source>{n} tokens of context</source>
            <translation>コンテキスト {n}トークン</translation>
        </message>
        <message>
            <source>{size} on disk</source>
            <translation>ディスク {size}</translation>
        </message>
        <message>
            <source>Damaged: {why}</source>
            <translation>破損：{why}</translation>
        </message>
        <message>
            <source>Unload</source>
            <translation>解放</translation>
        </message>
        <message>
            <source>Load</source>
            <translation>読み込む</translation>
        </message>
        <message>
            <source>Verify</source>
            <translation>検証</translation>
        </message>
        <message>
            <source>Reveal</source>
            <translation>場所を表示</translation>
        </message>
        <message>
            <source>Delete…</source>
            <translation>削除…</translation>
        </message>
    </context>
    <context>
        <name>ModelsPage</name>
        <message>
            <source>Models on this machine</source>
            <translation>このコンピュータのモデル</translation>
        </message>
        <message>
            <source>Models to be had</source>
            <translation>入手できるモデル</translation>
        </message>
        <message>
            <source>On this machine</source>
            <translation>このコンピュータ</translation>
        </message>
        <message>
            <source>Get more</source>
            <translation>入手する</translation>
        </message>
        <message>
            <source>Context for the sums</source>
            <translation>計算に使うコンテキスト</translation>
        </message>
        <message>
            <source>Context</source>
            <translation>コンテキスト</translation>
        </message>
        <message>
            <source>Open a GGUF file…</source>
            <translation>GGUFファイルを開く…</translation>
        </message>
        <message>
            <source>Open a model folder…</source>
            <translation>モデルフォルダを開く…</translation>
        </message>
        <message>
            <source>Import a folder…</source>
            <translation>フォルダを読み込む…</translation>
        </message>
        <message>
            <source>Copy a model here, packed into fewer bits if you like</source>
            <translation>モデルをここにコピーします。必要なら少ないビットに詰めます</translation>
        </message>
        <message>
            <source>Paste a repository id: owner/name</source>
            <translation>リポジトリIDを貼り付け：所有者/名前</translation>
        </message>
        <message>
            <source>Repository id</source>
            <translation>リポジトリID</translation>
        </message>
        <message>
            <source>Download</source>
            <translation>ダウンロード</translation>
        </message>
        <message>
            <source>Download the pasted repository</source>
            <translation>貼り付けたリポジトリをダウンロード</translation>
        </message>
        <message>
            <source>There is no model here yet. “Get more” shows what can be had.</source>
            <translation>まだモデルがありません。「入手する」で手に入るものを見られます。</translation>
        </message>
        <message>
            <source>{n} tokens</source>
            <translation>{n}トークン</translation>
        </message>
        <message>
            <source>Model folder to import</source>
            <translation>読み込むモデルフォルダ</translation>
        </message>
        <message>
            <source>Delete {name} from the disk? Chats with it stay.</source>
            <translation>{name}をディスクから削除しますか？これを使ったチャットは残ります。</translation>
        </message>
        <message>
            <source>Delete</source>
            <translation>削除</translation>
        </message>
    </context>
    <context>
        <name>NoModel</name>
        <message>
            <source>Choose a model to begin</source>
            <translation>まずモデルを選んでください</translation>
        </message>
        <message>
            <source>Private: models and chats stay on this machine. You can write your first message now; it waits for the model.</source>
            <translation>プライベート：モデルもチャットもこのコンピュータから出ません。最初のメッセージは今すぐ書けます。モデルの準備ができるまで待ちます。</translation>
        </message>
        <message>
            <source>Open a GGUF file…</source>
            <translation>GGUFファイルを開く…</translation>
        </message>
        <message>
            <source>Open a model folder…</source>
            <translation>モデルフォルダを開く…</translation>
        </message>
        <message>
            <source>More models</source>
            <translation>ほかのモデル</translation>
        </message>
        <message>
            <source>Download {name} (about {size})</source>
            <translation>{name}をダウンロード（約{size}）</translation>
        </message>
        <message>
            <source>Recommended for this machine. {note}</source>
            <translation>このコンピュータにおすすめ。{note}</translation>
        </message>
        <message>
            <source>Licence</source>
            <translation>ライセンス</translation>
        </message>
        <message>
            <source>Use {name}</source>
            <translation>{name}を使う</translation>
        </message>
    </context>
    <context>
        <name>OfferCard</name>
        <message>
            <source>about {size}</source>
            <translation>約{size}</translation>
        </message>
        <message>
            <source>from {n} GB of memory</source>
            <translation>メモリ{n} GBから</translation>
        </message>
        <message>
            <source>Recommended for this machine. {note}</source>
            <translation>このコンピュータにおすすめ。{note}</translation>
        </message>
        <message>
            <source>Download</source>
            <translation>ダウンロード</translation>
        </message>
        <message>
            <source>Download {name}</source>
            <translation>{name}をダウンロード</translation>
        </message>
        <message>
            <source>On this machine</source>
            <translation>このコンピュータ</translation>
        </message>
    </context>
    <context>
        <name>PresetDialog</name>
        <message>
            <source>Presets</source>
            <translation>プリセット</translation>
        </message>
        <message>
            <source>A preset keeps the system prompt and the sampling of a chat.</source>
            <translation>プリセットはチャットのシステムプロンプトとサンプリングを保存します。</translation>
        </message>
        <message>
            <source>Remove</source>
            <translation>削除</translation>
        </message>
        <message>
            <source>Close</source>
            <translation>閉じる</translation>
        </message>
    </context>
    <context>
        <name>Program</name>
        <message>
            <source>Inspect</source>
            <translation>調べる</translation>
        </message>
        <message>
            <source>An answer is being written. Stop it and quit? The text so far is kept.</source>
            <translation>回答を書いている途中です。停止して終了しますか？ここまでの文章は残ります。</translation>
        </message>
        <message>
            <source>Stop and quit</source>
            <translation>停止して終了</translation>
        </message>
        <message>
            <source>Keep writing</source>
            <translation>書き続ける</translation>
        </message>
        <message>
            <source>The settings could not be written; they hold until you quit.</source>
            <translation>設定を書き込めませんでした。終了するまでは有効です。</translation>
        </message>
        <message>
            <source>Something went wrong in the window; your chats are kept.</source>
            <translation>ウインドウで問題が起きました。チャットは保持されています。</translation>
        </message>
    </context>
    <context>
        <name>PromptDialog</name>
        <message>
            <source>Prompts</source>
            <translation>プロンプト</translation>
        </message>
        <message>
            <source>Name</source>
            <translation>名前</translation>
        </message>
        <message>
            <source>Prompt</source>
            <translation>プロンプト</translation>
        </message>
        <message>
            <source>Summarise {{text}} in {{number}} sentences.</source>
            <translation>{{text}}を{{number}}文で要約してください。</translation>
        </message>
        <message>
            <source>Save</source>
            <translation>保存</translation>
        </message>
        <message>
            <source>Remove</source>
            <translation>削除</translation>
        </message>
        <message>
            <source>Use as system prompt</source>
            <translation>システムプロンプトに使う</translation>
        </message>
        <message>
            <source>Use in message</source>
            <translation>メッセージに使う</translation>
        </message>
    </context>
    <context>
        <name>Queue</name>
        <message>
            <source>Take this message back</source>
            <translation>このメッセージを取り戻す</translation>
        </message>
        <message>
            <source>Waits</source>
            <translation>待機中</translation>
        </message>
    </context>
    <context>
        <name>RequestsDialog</name>
        <message>
            <source>Connections</source>
            <translation>接続</translation>
        </message>
        <message>
            <source>Requests that left this machine</source>
            <translation>このコンピュータから出た要求</translation>
        </message>
        <message>
            <source>When</source>
            <translation>日時</translation>
        </message>
        <message>
            <source>Where to</source>
            <translation>接続先</translation>
        </message>
        <message>
            <source>Answer</source>
            <translation>回答</translation>
        </message>
        <message>
            <source>Received</source>
            <translation>受信</translation>
        </message>
        <message>
            <source>Clear the list</source>
            <translation>一覧を消去</translation>
        </message>
        <message>
            <source>Close</source>
            <translation>閉じる</translation>
        </message>
        <message>
            <source>Only downloads that you start open a connection. Nothing else was sent.</source>
            <translation>接続するのは、あなたが始めたダウンロードだけです。ほかには何も送っていません。</translation>
        </message>
        <message>
            <source>No connection was opened so far.</source>
            <translation>これまで一度も接続していません。</translation>
        </message>
    </context>
    <context>
        <name>RowPainter</name>
        <message>
            <source>Chat title</source>
            <translation>チャットの題名</translation>
        </message>
    </context>
    <context>
        <name>SamplingForm</name>
        <message>
            <source>Temperature</source>
            <translation>温度</translation>
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
            <translation>繰り返しペナルティ</translation>
        </message>
        <message>
            <source>Longest answer</source>
            <translation>回答の最大長</translation>
        </message>
        <message>
            <source>Model's</source>
            <translation>モデルの値</translation>
        </message>
        <message>
            <source>Seed</source>
            <translation>シード</translation>
        </message>
        <message>
            <source>Fixed seed</source>
            <translation>シードを固定</translation>
        </message>
        <message>
            <source>Another seed</source>
            <translation>別のシード</translation>
        </message>
        <message>
            <source>0 always takes the likeliest token; higher is livelier.</source>
            <translation>0は常に最も確率の高いトークンを選び、大きいほど多彩になります。</translation>
        </message>
        <message>
            <source>Only the likeliest tokens that together have this probability.</source>
            <translation>合計でこの確率になる上位トークンだけを使います。</translation>
        </message>
        <message>
            <source>Only so many of the likeliest tokens; 0 is all of them.</source>
            <translation>上位この数のトークンだけを使います。0はすべてです。</translation>
        </message>
        <message>
            <source>Only tokens at least this likely, against the likeliest.</source>
            <translation>最有力に対してこの割合以上のトークンだけを使います。</translation>
        </message>
        <message>
            <source>Above 1 the model repeats itself less.</source>
            <translation>1より大きいと繰り返しが減ります。</translation>
        </message>
        <message>
            <source>In tokens; 0 takes the model's own limit.</source>
            <translation>トークン数。0はモデル自身の上限です。</translation>
        </message>
    </context>
    <context>
        <name>SettingsDialog</name>
        <message>
            <source>Settings</source>
            <translation>設定</translation>
        </message>
        <message>
            <source>General</source>
            <translation>一般</translation>
        </message>
        <message>
            <source>Chats</source>
            <translation>チャット</translation>
        </message>
        <message>
            <source>Engine</source>
            <translation>エンジン</translation>
        </message>
        <message>
            <source>Privacy</source>
            <translation>プライバシー</translation>
        </message>
        <message>
            <source>Shortcuts</source>
            <translation>ショートカット</translation>
        </message>
        <message>
            <source>Close</source>
            <translation>閉じる</translation>
        </message>
        <message>
            <source>As the system</source>
            <translation>システムに合わせる</translation>
        </message>
        <message>
            <source>Light</source>
            <translation>ライト</translation>
        </message>
        <message>
            <source>Dark</source>
            <translation>ダーク</translation>
        </message>
        <message>
            <source>Appearance</source>
            <translation>外観</translation>
        </message>
        <message>
            <source>Text size</source>
            <translation>文字サイズ</translation>
        </message>
        <message>
            <source>Language</source>
            <translation>言語</translation>
        </message>
        <message>
            <source>A new language holds from the next start.</source>
            <translation>新しい言語は次回の起動から有効です。</translation>
        </message>
        <message>
            <source>Increase contrast</source>
            <translation>コントラストを上げる</translation>
        </message>
        <message>
            <source>Reduce motion</source>
            <translation>動きを減らす</translation>
        </message>
        <message>
            <source>Ask before quitting while an answer is written</source>
            <translation>回答を書いている間は終了前に確認する</translation>
        </message>
        <message>
            <source>Return</source>
            <translation>Return</translation>
        </message>
        <message>
            <source>Ctrl (⌘) with Return</source>
            <translation>Ctrl（⌘）+ Return</translation>
        </message>
        <message>
            <source>Send with</source>
            <translation>送信キー</translation>
        </message>
        <message>
            <source>Paste as an attachment from</source>
            <translation>添付として貼り付ける長さ</translation>
        </message>
        <message>
            <source> characters</source>
            <translation>文字</translation>
        </message>
        <message>
            <source>Let the model name chats when it has nothing else to do</source>
            <translation>手が空いたときにモデルがチャットに題名を付ける</translation>
        </message>
        <message>
            <source>Search by meaning too (read in idle time, kept on this machine)</source>
            <translation>意味でも検索する（空き時間に読み取り、このコンピュータに保存）</translation>
        </message>
        <message>
            <source>Context limit</source>
            <translation>コンテキストの上限</translation>
        </message>
        <message>
            <source>Model's</source>
            <translation>モデルの値</translation>
        </message>
        <message>
            <source>Say so and stop</source>
            <translation>知らせて停止</translation>
        </message>
        <message>
            <source>Leave out the oldest messages</source>
            <translation>古いメッセージから外す</translation>
        </message>
        <message>
            <source>Keep the system prompt and roll</source>
            <translation>システムプロンプトを残して巻き取る</translation>
        </message>
        <message>
            <source>Rotate within the window</source>
            <translation>窓の中で回す</translation>
        </message>
        <message>
            <source>When it is full</source>
            <translation>いっぱいのとき</translation>
        </message>
        <message>
            <source>Unload the model after</source>
            <translation>モデルを解放するまで</translation>
        </message>
        <message>
            <source> minutes</source>
            <translation>分</translation>
        </message>
        <message>
            <source>Never</source>
            <translation>しない</translation>
        </message>
        <message>
            <source> GB</source>
            <translation>GB</translation>
        </message>
        <message>
            <source>Automatic</source>
            <translation>自動</translation>
        </message>
        <message>
            <source>Memory for read prompts</source>
            <translation>読んだプロンプト用のメモリ</translation>
        </message>
        <message>
            <source>None</source>
            <translation>なし</translation>
        </message>
        <message>
            <source>Disk for read prompts</source>
            <translation>読んだプロンプト用のディスク</translation>
        </message>
        <message>
            <source>As they are</source>
            <translation>そのまま</translation>
        </message>
        <message>
            <source>8 bit</source>
            <translation>8ビット</translation>
        </message>
        <message>
            <source>4 bit</source>
            <translation>4ビット</translation>
        </message>
        <message>
            <source>Keys and values</source>
            <translation>キーと値</translation>
        </message>
        <message>
            <source>Alternatives kept with each token</source>
            <translation>各トークンと残す候補の数</translation>
        </message>
        <message>
            <source>Run the engine in a process of its own (from the next start)</source>
            <translation>エンジンを別プロセスで動かす（次回の起動から）</translation>
        </message>
        <message>
            <source>Offline: never open a connection, downloads included</source>
            <translation>オフライン：ダウンロードも含め一切接続しない</translation>
        </message>
        <message>
            <source>Chats, prompts and answers stay on this machine. Nothing is sent anywhere; the network is used for model downloads that you start, and for nothing else.</source>
            <translation>チャット、プロンプト、回答はこのコンピュータから出ません。どこにも送信されません。ネットワークはあなたが始めたモデルのダウンロードにだけ使われます。</translation>
        </message>
        <message>
            <source>Chats and settings</source>
            <translation>チャットと設定</translation>
        </message>
        <message>
            <source>What can be made again</source>
            <translation>作り直せるもの</translation>
        </message>
        <message>
            <source>Log (counts and times, never text)</source>
            <translation>ログ（数と時間だけで、文章は含みません）</translation>
        </message>
        <message>
            <source>Connections…</source>
            <translation>接続…</translation>
        </message>
        <message>
            <source>Every request that left this machine</source>
            <translation>このコンピュータから出たすべての要求</translation>
        </message>
        <message>
            <source>Forget the access token</source>
            <translation>アクセストークンを忘れる</translation>
        </message>
        <message>
            <source>The hub's token in the system's keychain</source>
            <translation>システムのキーチェーンにあるハブのトークン</translation>
        </message>
        <message>
            <source>Models</source>
            <translation>モデル</translation>
        </message>
        <message>
            <source>Another folder for models…</source>
            <translation>モデル用の別のフォルダ…</translation>
        </message>
        <message>
            <source>The usual folder</source>
            <translation>いつものフォルダ</translation>
        </message>
        <message>
            <source>Export all chats…</source>
            <translation>すべてのチャットを書き出す…</translation>
        </message>
        <message>
            <source>Erase all chats…</source>
            <translation>すべてのチャットを消去…</translation>
        </message>
        <message>
            <source> tokens</source>
            <translation>トークン</translation>
        </message>
    </context>
    <context>
        <name>Sharing</name>
        <message>
            <source>Written to {path}.</source>
            <translation>{path}に書き出しました。</translation>
        </message>
        <message numerus="yes">
            <source>%n chat(s) were imported.</source>
            <translation>
                <numerusform>%n件のチャットを読み込みました。</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>%n could not be read.</source>
            <translation>
                <numerusform>%n件は読み取れませんでした。</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>Shelf</name>
        <message>
            <source>About {weights} of weights + {cache} for {context} tokens of context + {scratch} to read a prompt = {needed}, {share} % of the {limit} that this machine can hold.</source>
            <translation>重み約{weights} + コンテキスト{context}トークン分{cache} + プロンプト読み取り{scratch} = {needed}。このコンピュータで使える{limit}の{share} %です。</translation>
        </message>
        <message>
            <source>This system has no keychain; the token is kept until you quit.</source>
            <translation>このシステムにはキーチェーンがありません。トークンは終了まで保持されます。</translation>
        </message>
        <message>
            <source>{size} are free again.</source>
            <translation>{size}が空きました。</translation>
        </message>
        <message>
            <source>Verifying…</source>
            <translation>検証中…</translation>
        </message>
        <message>
            <source>Importing {name}…</source>
            <translation>{name}を読み込み中…</translation>
        </message>
        <message>
            <source>{name} is here now.</source>
            <translation>{name}が加わりました。</translation>
        </message>
        <message>
            <source>Deleting…</source>
            <translation>削除中…</translation>
        </message>
        <message>
            <source>Verified: whole and as it should be.</source>
            <translation>検証しました：完全で正しい状態です。</translation>
        </message>
        <message>
            <source>A model has arrived and is whole.</source>
            <translation>モデルが届き、完全です。</translation>
        </message>
    </context>
    <context>
        <name>ShortcutPage</name>
        <message>
            <source>Shortcuts</source>
            <translation>ショートカット</translation>
        </message>
        <message>
            <source>Restore the default shortcuts</source>
            <translation>既定のショートカットに戻す</translation>
        </message>
        <message>
            <source>taken by “{name}”</source>
            <translation>「{name}」が使用中</translation>
        </message>
    </context>
    <context>
        <name>ShortcutSheet</name>
        <message>
            <source>Shortcuts</source>
            <translation>ショートカット</translation>
        </message>
        <message>
            <source>Close</source>
            <translation>閉じる</translation>
        </message>
    </context>
    <context>
        <name>Sidebar</name>
        <message>
            <source>Search chats</source>
            <translation>チャットを検索</translation>
        </message>
        <message>
            <source>New chat</source>
            <translation>新しいチャット</translation>
        </message>
        <message>
            <source>Nothing found</source>
            <translation>見つかりませんでした</translation>
        </message>
        <message>
            <source>Trash</source>
            <translation>ゴミ箱</translation>
        </message>
        <message>
            <source>Models</source>
            <translation>モデル</translation>
        </message>
        <message>
            <source>Settings</source>
            <translation>設定</translation>
        </message>
        <message>
            <source>Chat</source>
            <translation>チャット</translation>
        </message>
        <message>
            <source>Rename</source>
            <translation>名前を変更</translation>
        </message>
        <message>
            <source>Unpin</source>
            <translation>ピン留めを外す</translation>
        </message>
        <message>
            <source>Pin</source>
            <translation>ピン留め</translation>
        </message>
        <message>
            <source>Move to folder</source>
            <translation>フォルダに移動</translation>
        </message>
        <message>
            <source>No folder</source>
            <translation>フォルダなし</translation>
        </message>
        <message>
            <source>New folder…</source>
            <translation>新しいフォルダ…</translation>
        </message>
        <message>
            <source>Tags…</source>
            <translation>タグ…</translation>
        </message>
        <message>
            <source>Export…</source>
            <translation>書き出す…</translation>
        </message>
        <message>
            <source>Move to Trash</source>
            <translation>ゴミ箱に入れる</translation>
        </message>
    </context>
    <context>
        <name>StatusLine</name>
        <message>
            <source>Status</source>
            <translation>状態</translation>
        </message>
        <message>
            <source>Progress</source>
            <translation>進み具合</translation>
        </message>
        <message>
            <source>Offline: nothing leaves this machine</source>
            <translation>オフライン：このコンピュータから何も出ません</translation>
        </message>
        <message>
            <source>Offline</source>
            <translation>オフライン</translation>
        </message>
        <message>
            <source>Waiting for the model</source>
            <translation>モデルを待っています</translation>
        </message>
        <message>
            <source>No model yet; a message you send waits for it</source>
            <translation>モデルがまだありません。送ったメッセージは待機します</translation>
        </message>
        <message>
            <source>Ready</source>
            <translation>準備完了</translation>
        </message>
        <message>
            <source>{what} · {percent}</source>
            <translation>{what} · {percent}</translation>
        </message>
        <message>
            <source>Reading {percent}</source>
            <translation>読み取り {percent}</translation>
        </message>
        <message>
            <source>{n} tokens</source>
            <translation>{n}トークン</translation>
        </message>
        <message>
            <source>({n} reused)</source>
            <translation>（{n}は再利用）</translation>
        </message>
        <message>
            <source>Thinking · {n} tokens</source>
            <translation>思考中 · {n}トークン</translation>
        </message>
        <message>
            <source>Writing</source>
            <translation>書き込み中</translation>
        </message>
        <message>
            <source>Writing · {rate} tok/s · {n} tokens</source>
            <translation>書き込み中 · 毎秒{rate}トークン · {n}トークン</translation>
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
            <translation>あなた</translation>
        </message>
    </context>
    <context>
        <name>TokenDialog</name>
        <message>
            <source>Access token</source>
            <translation>アクセストークン</translation>
        </message>
        <message>
            <source>{name} asks for an accepted licence. Accept it on its page, make an access token that may read in the settings of your account there, and paste it here. It is kept in the system's keychain and sent to the hub alone.</source>
            <translation>{name}にはライセンスへの同意が必要です。そのページで同意し、アカウント設定で読み取り用のアクセストークンを作って、ここに貼り付けてください。システムのキーチェーンに保存され、ハブにだけ送られます。</translation>
        </message>
        <message>
            <source>Use it</source>
            <translation>使う</translation>
        </message>
        <message>
            <source>Cancel</source>
            <translation>キャンセル</translation>
        </message>
    </context>
    <context>
        <name>TransferCard</name>
        <message>
            <source>Open the licence page</source>
            <translation>ライセンスのページを開く</translation>
        </message>
        <message>
            <source>Paste a token…</source>
            <translation>トークンを貼り付け…</translation>
        </message>
        <message>
            <source>Pause</source>
            <translation>一時停止</translation>
        </message>
        <message>
            <source>Go on</source>
            <translation>再開</translation>
        </message>
        <message>
            <source>Discard</source>
            <translation>破棄</translation>
        </message>
    </context>
    <context>
        <name>TrashDialog</name>
        <message>
            <source>Trash</source>
            <translation>ゴミ箱</translation>
        </message>
        <message>
            <source>Deleted chats</source>
            <translation>削除したチャット</translation>
        </message>
        <message numerus="yes">
            <source>Chats stay here for %n day(s); then they go for good.</source>
            <translation>
                <numerusform>チャットは%n日間ここに残り、その後完全に消えます。</numerusform>
            </translation>
        </message>
        <message>
            <source>The trash is empty.</source>
            <translation>ゴミ箱は空です。</translation>
        </message>
        <message>
            <source>Restore</source>
            <translation>元に戻す</translation>
        </message>
        <message>
            <source>Delete for good</source>
            <translation>完全に削除</translation>
        </message>
        <message>
            <source>Empty the trash</source>
            <translation>ゴミ箱を空にする</translation>
        </message>
        <message>
            <source>Close</source>
            <translation>閉じる</translation>
        </message>
    </context>
    <context>
        <name>Tuning</name>
        <message>
            <source>The next message does not fit; start a new chat or raise the limit.</source>
            <translation>次のメッセージは入りきりません。新しいチャットを始めるか、上限を上げてください。</translation>
        </message>
        <message>
            <source>The oldest messages will be left out of the next answer.</source>
            <translation>次の回答では最も古いメッセージが外されます。</translation>
        </message>
    </context>
    <context>
        <name>UndoBar</name>
        <message>
            <source>Undo</source>
            <translation>取り消す</translation>
        </message>
    </context>
    <context>
        <name>VariantForm</name>
        <message>
            <source>Temperature</source>
            <translation>温度</translation>
        </message>
        <message>
            <source>Longest answer</source>
            <translation>回答の最大長</translation>
        </message>
        <message>
            <source>Complete the text</source>
            <translation>文章を補完</translation>
        </message>
        <message>
            <source>Remove</source>
            <translation>削除</translation>
        </message>
        <message>
            <source>Copy as another</source>
            <translation>複製して追加</translation>
        </message>
        <message>
            <source>Name</source>
            <translation>名前</translation>
        </message>
        <message>
            <source>System prompt</source>
            <translation>システムプロンプト</translation>
        </message>
        <message>
            <source>None</source>
            <translation>なし</translation>
        </message>
        <message>
            <source>Template</source>
            <translation>テンプレート</translation>
        </message>
        <message>
            <source>Explain {{topic}} in one sentence.</source>
            <translation>{{topic}}を一文で説明してください。</translation>
        </message>
        <message>
            <source>Variant</source>
            <translation>案</translation>
        </message>
    </context>
    <context>
        <name>VoteDialog</name>
        <message>
            <source>Blind vote</source>
            <translation>ブラインド投票</translation>
        </message>
        <message>
            <source>Left</source>
            <translation>左</translation>
        </message>
        <message>
            <source>Right</source>
            <translation>右</translation>
        </message>
        <message>
            <source>Left is better</source>
            <translation>左が良い</translation>
        </message>
        <message>
            <source>Neither</source>
            <translation>どちらでもない</translation>
        </message>
        <message>
            <source>Right is better</source>
            <translation>右が良い</translation>
        </message>
        <message>
            <source>{name}: {wins} won, {losses} lost, {ties} even</source>
            <translation>{name}：{wins}勝 {losses}敗 {ties}分</translation>
        </message>
        <message>
            <source>That was all.</source>
            <translation>これで終わりです。</translation>
        </message>
        <message>
            <source>Which answer is better? ({n} of {total})</source>
            <translation>どちらの回答が良いですか？（{n}/{total}）</translation>
        </message>
    </context>
    <context>
        <name>Welcome</name>
        <message>
            <source>What would you like to try?</source>
            <translation>何を試しますか？</translation>
        </message>
        <message>
            <source>Private: chats stay on this machine.</source>
            <translation>プライベート：チャットはこのコンピュータから出ません。</translation>
        </message>
        <message>
            <source>Explain how rainbows form, in three sentences.</source>
            <translation>虹のでき方を三つの文で説明してください。</translation>
        </message>
        <message>
            <source>Write a short poem about a quiet morning.</source>
            <translation>静かな朝についての短い詩を書いてください。</translation>
        </message>
        <message>
            <source>Give me five names for a small bakery.</source>
            <translation>小さなパン屋の名前を五つ考えてください。</translation>
        </message>
        <message>
            <source>Write a Python function that finds prime numbers.</source>
            <translation>素数を見つけるPython関数を書いてください。</translation>
        </message>
        <message>
            <source>What is the capital of France?</source>
            <translation>フランスの首都はどこですか？</translation>
        </message>
        <message>
            <source>Name three colours of the rainbow.</source>
            <translation>虹の色を三つ挙げてください。</translation>
        </message>
        <message>
            <source>Why is the sky blue?</source>
            <translation>空はなぜ青いのですか？</translation>
        </message>
        <message>
            <source>Tell me a short story about a fox.</source>
            <translation>キツネの短いお話をしてください。</translation>
        </message>
    </context>
</TS>
