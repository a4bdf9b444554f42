<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="he" sourcelanguage="en">
    <context>
        <name>Bar</name>
        <message>
            <source>Close</source>
            <translation>סגירה</translation>
        </message>
    </context>
    <context>
        <name>BranchMap</name>
        <message>
            <source>Branch map</source>
            <translation>מפת ענפים</translation>
        </message>
        <message>
            <source>Messages and their versions</source>
            <translation>הודעות והגרסאות שלהן</translation>
        </message>
        <message>
            <source>Show</source>
            <translation>הצגה</translation>
        </message>
        <message>
            <source>Close</source>
            <translation>סגירה</translation>
        </message>
        <message>
            <source>What is shown now is bold; a branch begins with each version.</source>
            <translation>מה שמוצג עכשיו מודגש; בכל גרסה מתחיל ענף.</translation>
        </message>
    </context>
    <context>
        <name>ChatList</name>
        <message>
            <source>Chats</source>
            <translation>שיחות</translation>
        </message>
        <message>
            <source>New chat</source>
            <translation>שיחה חדשה</translation>
        </message>
        <message>
            <source>Today</source>
            <translation>היום</translation>
        </message>
        <message>
            <source>Previous 7 days</source>
            <translation>7 הימים האחרונים</translation>
        </message>
        <message>
            <source>Pinned</source>
            <translation>נעוצות</translation>
        </message>
        <message>
            <source>Older</source>
            <translation>ישנות יותר</translation>
        </message>
        <message>
            <source>writing</source>
            <translation>נכתבת</translation>
        </message>
        <message>
            <source>waiting</source>
            <translation>ממתינה</translation>
        </message>
        <message>
            <source>new answer</source>
            <translation>תשובה חדשה</translation>
        </message>
    </context>
    <context>
        <name>Chats</name>
        <message>
            <source>The message and what followed it are deleted.</source>
            <translation>ההודעה ומה שאחריה נמחקו.</translation>
        </message>
        <message>
            <source>“{title}” has an answer.</source>
            <translation>לשיחה ”{title}“ יש תשובה.</translation>
        </message>
        <message>
            <source>“{name}” is no GGUF model and was left alone.</source>
            <translation>”{name}“ אינו מודל GGUF ולא נגענו בו.</translation>
        </message>
    </context>
    <context>
        <name>Chip</name>
        <message>
            <source>Remove {name}</source>
            <translation>הסרת {name}</translation>
        </message>
    </context>
    <context>
        <name>Choosing</name>
        <message>
            <source>{family}, {quantisation}, on {device}</source>
            <translation>{family}, {quantisation}, על {device}</translation>
        </message>
        <message>
            <source>{size} GB in memory</source>
            <translation>{size} ג״ב בזיכרון</translation>
        </message>
    </context>
    <context>
        <name>Commands</name>
        <message>
            <source>&amp;File</source>
            <translation>&amp;קובץ</translation>
        </message>
        <message>
            <source>New chat</source>
            <translation>שיחה חדשה</translation>
        </message>
        <message>
            <source>New temporary chat</source>
            <translation>שיחה זמנית חדשה</translation>
        </message>
        <message>
            <source>Open a model…</source>
            <translation>פתיחת מודל…</translation>
        </message>
        <message>
            <source>Import chats…</source>
            <translation>ייבוא שיחות…</translation>
        </message>
        <message>
            <source>Export this chat…</source>
            <translation>ייצוא השיחה הזאת…</translation>
        </message>
        <message>
            <source>Export all chats…</source>
            <translation>ייצוא כל השיחות…</translation>
        </message>
        <message>
            <source>Settings…</source>
            <translation>הגדרות…</translation>
        </message>
        <message>
            <source>Quit Cabochon</source>
            <translation>יציאה מ־Cabochon</translation>
        </message>
        <message>
            <source>&amp;Edit</source>
            <translation>&amp;עריכה</translation>
        </message>
        <message>
            <source>Find in this chat</source>
            <translation>חיפוש בשיחה הזאת</translation>
        </message>
        <message>
            <source>Search all chats</source>
            <translation>חיפוש בכל השיחות</translation>
        </message>
        <message>
            <source>Copy the last answer</source>
            <translation>העתקת התשובה האחרונה</translation>
        </message>
        <message>
            <source>&amp;View</source>
            <translation>&amp;תצוגה</translation>
        </message>
        <message>
            <source>Chat</source>
            <translation>שיחה</translation>
        </message>
        <message>
            <source>Prompt Lab</source>
            <translation>מעבדת הנחיות</translation>
        </message>
        <message>
            <source>Models</source>
            <translation>מודלים</translation>
        </message>
        <message>
            <source>Sidebar</source>
            <translation>סרגל צד</translation>
        </message>
        <message>
            <source>Inspector</source>
            <translation>חלונית פרטים</translation>
        </message>
        <message>
            <source>Larger text</source>
            <translation>טקסט גדול יותר</translation>
        </message>
        <message>
            <source>Smaller text</source>
            <translation>טקסט קטן יותר</translation>
        </message>
        <message>
            <source>&amp;Chat</source>
            <translation>&amp;שיחה</translation>
        </message>
        <message>
            <source>Stop</source>
            <translation>עצירה</translation>
        </message>
        <message>
            <source>Stop thinking and answer</source>
            <translation>להפסיק לחשוב ולענות</translation>
        </message>
        <message>
            <source>Regenerate</source>
            <translation>יצירה מחדש</translation>
        </message>
        <message>
            <source>Edit the last message</source>
            <translation>עריכת ההודעה האחרונה</translation>
        </message>
        <message>
            <source>Branch from the last answer</source>
            <translation>הסתעפות מהתשובה האחרונה</translation>
        </message>
        <message>
            <source>Inspect the last answer</source>
            <translation>בדיקת התשובה האחרונה</translation>
        </message>
        <message>
            <source>Branch map…</source>
            <translation>מפת ענפים…</translation>
        </message>
        <message>
            <source>Previous version</source>
            <translation>הגרסה הקודמת</translation>
        </message>
        <message>
            <source>Next version</source>
            <translation>הגרסה הבאה</translation>
        </message>
        <message>
            <source>Previous chat</source>
            <translation>השיחה הקודמת</translation>
        </message>
        <message>
            <source>Next chat</source>
            <translation>השיחה הבאה</translation>
        </message>
        <message>
            <source>&amp;Help</source>
            <translation>ע&amp;זרה</translation>
        </message>
        <message>
            <source>All shortcuts</source>
            <translation>כל קיצורי המקשים</translation>
        </message>
        <message>
            <source>About Cabochon</source>
            <translation>אודות Cabochon</translation>
        </message>
    </context>
    <context>
        <name>Composer</name>
        <message>
            <source>Message</source>
            <translation>הודעה</translation>
        </message>
        <message>
            <source>Write a message</source>
            <translation>כתבו הודעה</translation>
        </message>
        <message>
            <source>Attach files</source>
            <translation>צירוף קבצים</translation>
        </message>
        <message>
            <source>Send</source>
            <translation>שליחה</translation>
        </message>
        <message numerus="yes">
            <source>%n token(s)</source>
            <translation>
                <numerusform>%n אסימונים</numerusform>
                <numerusform>%n אסימונים</numerusform>
            </translation>
        </message>
        <message>
            <source>Editing a message; the old one stays as a version</source>
            <translation>עריכת הודעה; הישנה נשארת כגרסה</translation>
        </message>
        <message>
            <source>Cancel</source>
            <translation>ביטול</translation>
        </message>
        <message>
            <source>Stop</source>
            <translation>עצירה</translation>
        </message>
        <message>
            <source>Stop (Esc)</source>
            <translation>עצירה (Esc)</translation>
        </message>
        <message>
            <source>Send when ready</source>
            <translation>שליחה כשיתאפשר</translation>
        </message>
    </context>
    <context>
        <name>Composing</name>
        <message numerus="yes">
            <source>%n token(s)</source>
            <translation>
                <numerusform>%n אסימונים</numerusform>
                <numerusform>%n אסימונים</numerusform>
            </translation>
        </message>
        <message>
            <source>only its beginning</source>
            <translation>רק ההתחלה</translation>
        </message>
    </context>
    <context>
        <name>ContextMeter</name>
        <message>
            <source>Context in use</source>
            <translation>ההקשר בשימוש</translation>
        </message>
        <message>
            <source>{used} of {total} tokens</source>
            <translation>{used} מתוך {total} אסימונים</translation>
        </message>
        <message>
            <source>Known when a model is loaded</source>
            <translation>יוודע כשייטען מודל</translation>
        </message>
    </context>
    <context>
        <name>Dialogs</name>
        <message>
            <source>Folder for models</source>
            <translation>תיקייה למודלים</translation>
        </message>
        <message>
            <source>Save as preset</source>
            <translation>שמירה כערכה</translation>
        </message>
        <message>
            <source>Name of the preset</source>
            <translation>שם הערכה</translation>
        </message>
        <message>
            <source>New folder</source>
            <translation>תיקייה חדשה</translation>
        </message>
        <message>
            <source>Name of the folder</source>
            <translation>שם התיקייה</translation>
        </message>
        <message>
            <source>Tags</source>
            <translation>תגיות</translation>
        </message>
        <message>
            <source>Tags, with commas between</source>
            <translation>תגיות, עם פסיקים ביניהן</translation>
        </message>
        <message>
            <source>Attach files</source>
            <translation>צירוף קבצים</translation>
        </message>
        <message>
            <source>Open a GGUF file</source>
            <translation>פתיחת קובץ GGUF</translation>
        </message>
        <message>
            <source>Open a model folder</source>
            <translation>פתיחת תיקיית מודל</translation>
        </message>
        <message>
            <source>Import chats</source>
            <translation>ייבוא שיחות</translation>
        </message>
        <message>
            <source>Export</source>
            <translation>ייצוא</translation>
        </message>
        <message>
            <source>Open inputs</source>
            <translation>פתיחת קלטים</translation>
        </message>
        <message>
            <source>Export results</source>
            <translation>ייצוא תוצאות</translation>
        </message>
        <message>
            <source>Cabochon {version}. Private chat with Google's Gemma models, and a bench for prompts. Chats stay on this machine. Gemma is provided under the Gemma terms of use (ai.google.dev/gemma/terms).</source>
            <translation>Cabochon {version}. שיחה פרטית עם מודלי Gemma של Google, ושולחן עבודה להנחיות. השיחות נשארות במחשב הזה. Gemma מסופק לפי תנאי השימוש של Gemma (ai.google.dev/gemma/terms).</translation>
        </message>
        <message>
            <source>Close</source>
            <translation>סגירה</translation>
        </message>
        <message>
            <source>Erase every chat, prompt, preset and record on this machine? This cannot be taken back; export them first if in doubt.</source>
            <translation>למחוק כל שיחה, הנחיה, ערכה ורשומה במחשב הזה? אי אפשר לבטל זאת; אם יש ספק, ייצאו אותן קודם.</translation>
        </message>
        <message>
            <source>Erase everything</source>
            <translation>מחיקת הכול</translation>
        </message>
        <message>
            <source>Delete this chat for good? This cannot be taken back.</source>
            <translation>למחוק את השיחה הזאת לתמיד? אי אפשר לבטל זאת.</translation>
        </message>
        <message>
            <source>Delete for good</source>
            <translation>מחיקה לתמיד</translation>
        </message>
        <message>
            <source>Delete everything in the trash for good? This cannot be taken back.</source>
            <translation>למחוק לתמיד את כל מה שבאשפה? אי אפשר לבטל זאת.</translation>
        </message>
        <message>
            <source>Empty the trash</source>
            <translation>ריקון האשפה</translation>
        </message>
    </context>
    <context>
        <name>Empty</name>
        <message>
            <source>New chat</source>
            <translation>שיחה חדשה</translation>
        </message>
        <message>
            <source>No model</source>
            <translation>אין מודל</translation>
        </message>
    </context>
    <context>
        <name>ErrorBar</name>
        <message>
            <source>Copy details</source>
            <translation>העתקת פרטים</translation>
        </message>
        <message>
            <source>Copied</source>
            <translation>הועתק</translation>
        </message>
    </context>
    <context>
        <name>Experimenting</name>
        <message>
            <source>The last experiment cannot be read; it is kept.</source>
            <translation>אי אפשר לקרוא את הניסוי האחרון; הוא נשמר.</translation>
        </message>
        <message numerus="yes">
            <source>%n row(s) were read.</source>
            <translation>
                <numerusform>נקראו %n שורות.</numerusform>
                <numerusform>נקראו %n שורות.</numerusform>
            </translation>
        </message>
        <message>
            <source>{name} cannot be read as text.</source>
            <translation>אי אפשר לקרוא את {name} כטקסט.</translation>
        </message>
        <message>
            <source>{cells} cells: {read} prompt tokens read, {written} tokens written.</source>
            <translation>{cells} תאים: נקראו {read} אסימוני הנחיה, נכתבו {written} אסימונים.</translation>
        </message>
        <message>
            <source>log-likelihood {total}, {each} a token</source>
            <translation>לוג־נראות {total}, ‏{each} לאסימון</translation>
        </message>
        <message numerus="yes">
            <source>%n token(s)</source>
            <translation>
                <numerusform>%n אסימונים</numerusform>
                <numerusform>%n אסימונים</numerusform>
            </translation>
        </message>
        <message>
            <source>Results are written as .csv, .jsonl or .md.</source>
            <translation>התוצאות נכתבות כ־‎.csv‎, ‎.jsonl‎ או ‎.md‎.</translation>
        </message>
        <message>
            <source>Not written: {why}.</source>
            <translation>לא נכתב: {why}.</translation>
        </message>
        <message>
            <source>Written to {path}.</source>
            <translation>נכתב אל {path}.</translation>
        </message>
        <message>
            <source>A vote needs the results of two variants; run them first.</source>
            <translation>להצבעה דרושות תוצאות של שתי גרסאות; הריצו אותן קודם.</translation>
        </message>
    </context>
    <context>
        <name>FindBar</name>
        <message>
            <source>Find in this chat</source>
            <translation>חיפוש בשיחה הזאת</translation>
        </message>
        <message>
            <source>Previous find</source>
            <translation>המופע הקודם</translation>
        </message>
        <message>
            <source>Next find</source>
            <translation>המופע הבא</translation>
        </message>
        <message>
            <source>Close</source>
            <translation>סגירה</translation>
        </message>
        <message>
            <source>Not found</source>
            <translation>לא נמצא</translation>
        </message>
        <message>
            <source>{n} of {total}</source>
            <translation>{n} מתוך {total}</translation>
        </message>
    </context>
    <context>
        <name>Header</name>
        <message>
            <source>Sidebar</source>
            <translation>סרגל צד</translation>
        </message>
        <message>
            <source>Inspector</source>
            <translation>חלונית פרטים</translation>
        </message>
        <message>
            <source>Chat</source>
            <translation>שיחה</translation>
        </message>
        <message>
            <source>Lab</source>
            <translation>מעבדה</translation>
        </message>
        <message>
            <source>Models</source>
            <translation>מודלים</translation>
        </message>
        <message>
            <source>No model</source>
            <translation>אין מודל</translation>
        </message>
        <message>
            <source>Model: {name}</source>
            <translation>מודל: {name}</translation>
        </message>
        <message>
            <source>Open a model…</source>
            <translation>פתיחת מודל…</translation>
        </message>
        <message>
            <source>Unload the model</source>
            <translation>פריקת המודל</translation>
        </message>
    </context>
    <context>
        <name>ImportDialog</name>
        <message>
            <source>Import a model</source>
            <translation>ייבוא מודל</translation>
        </message>
        <message>
            <source>{name} is copied into the folder for models; the original stays. Weights of 16 bits can be packed: 4 bits need a quarter of the memory, 8 bits half of it.</source>
            <translation>{name} יועתק לתיקיית המודלים; המקור נשאר. אפשר לארוז משקולות של 16 סיביות: 4 סיביות צריכות רבע מהזיכרון, 8 סיביות חצי ממנו.</translation>
        </message>
        <message>
            <source>Weights</source>
            <translation>משקולות</translation>
        </message>
        <message>
            <source>As they are</source>
            <translation>כמו שהם</translation>
        </message>
        <message>
            <source>Packed into {n} bits</source>
            <translation>ארוז ב־{n} סיביות</translation>
        </message>
        <message>
            <source>Import</source>
            <translation>ייבוא</translation>
        </message>
        <message>
            <source>Cancel</source>
            <translation>ביטול</translation>
        </message>
    </context>
    <context>
        <name>InspectPanel</name>
        <message>
            <source>Choose Inspect on an answer to look inside.</source>
            <translation>בחרו ”בדיקה“ בתשובה כדי להציץ פנימה.</translation>
        </message>
        <message>
            <source>Tokens that could well have been others are tinted and underlined in the answer; point at one to see the alternatives, choose one to go on from there.</source>
            <translation>אסימונים שיכלו להיות אחרים צבועים ומסומנים בקו; הצביעו על אחד כדי לראות חלופות, בחרו אחת כדי להמשיך משם.</translation>
        </message>
        <message>
            <source>Make it again and compare</source>
            <translation>יצירה מחדש והשוואה</translation>
        </message>
        <message>
            <source>Close</source>
            <translation>סגירה</translation>
        </message>
        <message>
            <source>Show token ids</source>
            <translation>הצגת מספרי אסימונים</translation>
        </message>
        <message>
            <source>Prompt as the model sees it</source>
            <translation>ההנחיה כפי שהמודל רואה אותה</translation>
        </message>
        <message>
            <source>Token of the answer</source>
            <translation>אסימון בתשובה</translation>
        </message>
        <message>
            <source>Look</source>
            <translation>הצצה</translation>
        </message>
        <message>
            <source>Look into the layers</source>
            <translation>הצצה אל השכבות</translation>
        </message>
        <message>
            <source>Guesses of each layer</source>
            <translation>הניחושים של כל שכבה</translation>
        </message>
        <message>
            <source>Layer</source>
            <translation>שכבה</translation>
        </message>
        <message>
            <source>Would say</source>
            <translation>הייתה אומרת</translation>
        </message>
        <message>
            <source>{n} tokens, {cached} of them kept</source>
            <translation>{n} אסימונים, {cached} מהם שמורים</translation>
        </message>
        <message>
            <source>Prompt</source>
            <translation>הנחיה</translation>
        </message>
        <message>
            <source>Layers</source>
            <translation>שכבות</translation>
        </message>
    </context>
    <context>
        <name>Inspecting</name>
        <message>
            <source>No record was kept of this answer.</source>
            <translation>לא נשמרה רשומה של התשובה הזאת.</translation>
        </message>
        <message>
            <source>{model} · {quantisation} · seed {seed} · {n} tokens</source>
            <translation>{model} · {quantisation} · זרע {seed} · {n} אסימונים</translation>
        </message>
        <message>
            <source>Making it again…</source>
            <translation>נוצרת מחדש…</translation>
        </message>
        <message>
            <source>Making it again: {done} of {total} tokens</source>
            <translation>נוצרת מחדש: {done} מתוך {total} אסימונים</translation>
        </message>
    </context>
    <context>
        <name>Inspector</name>
        <message>
            <source>System prompt</source>
            <translation>הנחיית מערכת</translation>
        </message>
        <message>
            <source>How the model should behave in this chat</source>
            <translation>איך המודל צריך להתנהג בשיחה הזאת</translation>
        </message>
        <message>
            <source>Preset</source>
            <translation>ערכה</translation>
        </message>
        <message>
            <source>Save as preset…</source>
            <translation>שמירה כערכה…</translation>
        </message>
        <message>
            <source>Presets…</source>
            <translation>ערכות…</translation>
        </message>
        <message>
            <source>Prompts…</source>
            <translation>הנחיות…</translation>
        </message>
        <message>
            <source>Mode</source>
            <translation>מצב</translation>
        </message>
        <message>
            <source>Chat</source>
            <translation>שיחה</translation>
        </message>
        <message>
            <source>Complete the text</source>
            <translation>השלמת הטקסט</translation>
        </message>
        <message>
            <source>Inspector</source>
            <translation>חלונית פרטים</translation>
        </message>
        <message>
            <source>No preset</source>
            <translation>ללא ערכה</translation>
        </message>
        <message>
            <source>• modified</source>
            <translation>• שונתה</translation>
        </message>
        <message>
            <source>Sampling</source>
            <translation>דגימה</translation>
        </message>
        <message>
            <source>Context</source>
            <translation>הקשר</translation>
        </message>
    </context>
    <context>
        <name>LabPage</name>
        <message>
            <source>Run</source>
            <translation>הרצה</translation>
        </message>
        <message>
            <source>Stop</source>
            <translation>עצירה</translation>
        </message>
        <message>
            <source>Stop column</source>
            <translation>עצירת עמודה</translation>
        </message>
        <message>
            <source>Seeds</source>
            <translation>זרעים</translation>
        </message>
        <message>
            <source>Add input</source>
            <translation>הוספת קלט</translation>
        </message>
        <message>
            <source>More</source>
            <translation>עוד</translation>
        </message>
        <message>
            <source>Open inputs…</source>
            <translation>פתיחת קלטים…</translation>
        </message>
        <message>
            <source>Paste inputs</source>
            <translation>הדבקת קלטים</translation>
        </message>
        <message>
            <source>Blind vote…</source>
            <translation>הצבעה עיוורת…</translation>
        </message>
        <message>
            <source>Export…</source>
            <translation>ייצוא…</translation>
        </message>
        <message>
            <source>Answer to score</source>
            <translation>תשובה לניקוד</translation>
        </message>
        <message>
            <source>Score mode: the answer you wish for, instead of writing new ones</source>
            <translation>מצב ניקוד: התשובה הרצויה, במקום לכתוב חדשות</translation>
        </message>
        <message>
            <source>JSON schema</source>
            <translation>סכמת JSON</translation>
        </message>
        <message>
            <source>JSON schema that every answer is checked against</source>
            <translation>סכמת JSON שכל תשובה נבדקת מולה</translation>
        </message>
        <message>
            <source>Results</source>
            <translation>תוצאות</translation>
        </message>
        <message>
            <source>Answer of the chosen cell</source>
            <translation>התשובה של התא הנבחר</translation>
        </message>
        <message>
            <source>Seed</source>
            <translation>זרע</translation>
        </message>
        <message>
            <source>Pin</source>
            <translation>נעיצה</translation>
        </message>
        <message>
            <source>Open as chat</source>
            <translation>פתיחה כשיחה</translation>
        </message>
        <message>
            <source>reading…</source>
            <translation>נקרא…</translation>
        </message>
        <message>
            <source>writing…</source>
            <translation>נכתב…</translation>
        </message>
        <message>
            <source>Answer</source>
            <translation>תשובה</translation>
        </message>
        <message>
            <source>Seed {n}</source>
            <translation>זרע {n}</translation>
        </message>
        <message>
            <source>Variant {n}</source>
            <translation>גרסה {n}</translation>
        </message>
        <message>
            <source>Other answers are compared with the pinned one, word by word.</source>
            <translation>תשובות אחרות מושוות לנעוצה, מילה במילה.</translation>
        </message>
    </context>
    <context>
        <name>Listing</name>
        <message>
            <source>Temporary chat</source>
            <translation>שיחה זמנית</translation>
        </message>
        <message>
            <source>New chat</source>
            <translation>שיחה חדשה</translation>
        </message>
        <message>
            <source>“{title}” is in the Trash.</source>
            <translation>”{title}“ באשפה.</translation>
        </message>
    </context>
    <context>
        <name>Menus</name>
        <message>
            <source>All chats</source>
            <translation>כל השיחות</translation>
        </message>
        <message>
            <source>Written to {path}.</source>
            <translation>נכתב אל {path}.</translation>
        </message>
    </context>
    <context>
        <name>ModelCard</name>
        <message>
            <source>{n} tokens of context</source>
            <translation>{n} אסימוני הקשר</translation>
        </message>
        <message>
            <source>{size} on disk</source>
            <translation>{size} בדיסק</translation>
        </message>
        <message>
            <source>Damaged: {why}</source>
            <translation>פגום: {why}</translation>
        </message>
        <message>
            <source>Unload</source>
            <translation>פריקה</translation>
        </message>
        <message>
            <source>Load</source>
            <translation>טעינה</translation>
        </message>
        <message>
            <source>Verify</source>
            <translation>אימות</translation>
        </message>
        <message>
            <source>Reveal</source>
            <translation>הצגה בתיקייה</translation>
        </message>
        <message>
            <source>Delete…</source>
            <translation>מחיקה…</translation>
        </message>
    </context>
    <context>
        <name>ModelsPage</name>
        <message>
            <source>Models on this machine</source>
            <translation>מודלים במחשב הזה</translation>
        </message>
        <message>
            <source>Models to be had</source>
            <translation>מודלים שאפשר להשיג</translation>
        </message>
        <message>
            <source>On this machine</source>
            <translation>במחשב הזה</translation>
        </message>
        <message>
            <source>Get more</source>
            <translation>להשיג עוד</translation>
        </message>
        <message>
            <source>Context for the sums</source>
            <translation>הקשר לחישוב</translation>
        </message>
        <message>
            <source>Context</source>
            <translation>הקשר</translation>
        </message>
        <message>
            <source>Open a GGUF file…</source>
            <translation>פתיחת קובץ GGUF…</translation>
        </message>
        <message>
            <source>Open a model folder…</source>
            <translation>פתיחת תיקיית מודל…</translation>
        </message>
        <message>
            <source>Import a folder…</source>
            <translation>ייבוא תיקייה…</translation>
        </message>
        <message>
            <source>Copy a model here, packed into fewer bits if you like</source>
            <translation>העתקת מודל לכאן, ארוז בפחות סיביות אם תרצו</translation>
        </message>
        <message>
            <source>Paste a repository id: owner/name</source>
            <translation>הדביקו מזהה מאגר: בעלים/שם</translation>
        </message>
        <message>
            <source>Repository id</source>
            <translation>מזהה מאגר</translation>
        </message>
        <message>
            <source>Download</source>
            <translation>הורדה</translation>
        </message>
        <message>
            <source>Download the pasted repository</source>
            <translation>הורדת המאגר שהודבק</translation>
        </message>
        <message>
            <source>There is no model here yet. “Get more” shows what can be had.</source>
            <translation>אין כאן מודל עדיין. ”להשיג עוד“ מראה מה יש.</translation>
        </message>
        <message>
            <source>{n} tokens</source>
            <translation>{n} אסימונים</translation>
        </message>
        <message>
            <source>Model folder to import</source>
            <translation>תיקיית מודל לייבוא</translation>
        </message>
        <message>
            <source>Delete {name} from the disk? Chats with it stay.</source>
            <translation>למחוק את {name} מהדיסק? השיחות איתו נשארות.</translation>
        </message>
        <message>
            <source>Delete</source>
            <translation>מחיקה</translation>
        </message>
    </context>
    <context>
        <name>NoModel</name>
        <message>
            <source>Choose a model to begin</source>
            <translation>בחרו מודל כדי להתחיל</translation>
        </message>
        <message>
            <source>Private: models and chats stay on this machine. You can write your first message now; it waits for the model.</source>
            <translation>פרטי: מודלים ושיחות נשארים במחשב הזה. אפשר לכתוב את ההודעה הראשונה כבר עכשיו; היא מחכה למודל.</translation>
        </message>
        <message>
            <source>Open a GGUF file…</source>
            <translation>פתיחת קובץ GGUF…</translation>
        </message>
        <message>
            <source>Open a model folder…</source>
            <translation>פתיחת תיקיית מודל…</translation>
        </message>
        <message>
            <source>More models</source>
            <translation>מודלים נוספים</translation>
        </message>
        <message>
            <source>Download {name} (about {size})</source>
            <translation>הורדת {name} (בערך {size})</translation>
        </message>
        <message>
            <source>Recommended for this machine. {note}</source>
            <translation>מומלץ למחשב הזה. {note}</translation>
        </message>
        <message>
            <source>Licence</source>
            <translation>רישיון</translation>
        </message>
        <message>
            <source>Use {name}</source>
            <translation>שימוש ב־{name}</translation>
        </message>
    </context>
    <context>
        <name>OfferCard</name>
        <message>
            <source>about {size}</source>
            <translation>בערך {size}</translation>
        </message>
        <message>
            <source>from {n} GB of memory</source>
            <translation>מ־{n} ג״ב זיכרון</translation>
        </message>
        <message>
            <source>Recommended for this machine. {note}</source>
            <translation>מומלץ למחשב הזה. {note}</translation>
        </message>
        <message>
            <source>Download</source>
            <translation>הורדה</translation>
        </message>
        <message>
            <source>Download {name}</source>
            <translation>הורדת {name}</translation>
        </message>
        <message>
            <source>On this machine</source>
            <translation>במחשב הזה</translation>
        </message>
    </context>
    <context>
        <name>PresetDialog</name>
        <message>
            <source>Presets</source>
            <translation>ערכות</translation>
        </message>
        <message>
            <source>A preset keeps the system prompt and the sampling of a chat.</source>
            <translation>ערכה שומרת את הנחיית המערכת ואת הדגימה של שיחה.</translation>
        </message>
        <message>
            <source>Remove</source>
            <translation>הסרה</translation>
        </message>
        <message>
            <source>Close</source>
            <translation>סגירה</translation>
        </message>
    </context>
    <context>
        <name>Program</name>
        <message>
            <source>Inspect</source>
            <translation>בדיקה</translation>
        </message>
        <message>
            <source>An answer is being written. Stop it and quit? The text so far is kept.</source>
            <translation>נכתבת תשובה. לעצור אותה ולצאת? הטקסט עד כה נשמר.</translation>
        </message>
        <message>
            <source>Stop and quit</source>
            <translation>עצירה ויציאה</translation>
        </message>
        <message>
            <source>Keep writing</source>
            <translation>להמשיך לכתוב</translation>
        </message>
        <message>
            <source>The settings could not be written; they hold until you quit.</source>
            <translation>אי אפשר היה לכתוב את ההגדרות; הן תקפות עד היציאה.</translation>
        </message>
        <message>
            <source>Something went wrong in the window; your chats are kept.</source>
            <translation>משהו השתבש בחלון; השיחות שלכם שמורות.</translation>
        </message>
    </context>
    <context>
        <name>PromptDialog</name>
        <message>
            <source>Prompts</source>
            <translation>הנחיות</translation>
        </message>
        <message>
            <source>Name</source>
            <translation>שם</translation>
        </message>
        <message>
            <source>Prompt</source>
            <translation>הנחיה</translation>
        </message>
        <message>
            <source>Summarise {{text}} in {{number}} sentences.</source>
            <translation>סכמו את {{text}} ב־{{number}} משפטים.</translation>
        </message>
        <message>
            <source>Save</source>
            <translation>שמירה</translation>
        </message>
        <message>
            <source>Remove</source>
            <translation>הסרה</translation>
        </message>
        <message>
            <source>Use as system prompt</source>
            <translation>שימוש כהנחיית מערכת</translation>
        </message>
        <message>
            <source>Use in message</source>
            <translation>שימוש בהודעה</translation>
        </message>
    </context>
    <context>
        <name>Queue</name>
        <message>
            <source>Take this message back</source>
            <translation>החזרת ההודעה הזאת</translation>
        </message>
        <message>
            <source>Waits</source>
            <translation>ממתינה</translation>
        </message>
    </context>
    <context>
        <name>RequestsDialog</name>
        <message>
            <source>Connections</source>
            <translation>חיבורים</translation>
        </message>
        <message>
            <source>Requests that left this machine</source>
            <translation>בקשות שיצאו מהמחשב הזה</translation>
        </message>
        <message>
            <source>When</source>
            <translation>מתי</translation>
        </message>
        <message>
            <source>Where to</source>
            <translation>לאן</translation>
        </message>
        <message>
            <source>Answer</source>
            <translation>תשובה</translation>
        </message>
        <message>
            <source>Received</source>
            <translation>התקבל</translation>
        </message>
        <message>
            <source>Clear the list</source>
            <translation>ניקוי הרשימה</translation>
        </message>
        <message>
            <source>Close</source>
            <translation>סגירה</translation>
        </message>
        <message>
            <source>Only downloads that you start open a connection. Nothing else was sent.</source>
            <translation>רק הורדות שאתם מתחילים פותחות חיבור. שום דבר אחר לא נשלח.</translation>
        </message>
        <message>
            <source>No connection was opened so far.</source>
            <translation>עד כה לא נפתח שום חיבור.</translation>
        </message>
    </context>
    <context>
        <name>RowPainter</name>
        <message>
            <source>Chat title</source>
            <translation>כותרת השיחה</translation>
        </message>
    </context>
    <context>
        <name>SamplingForm</name>
        <message>
            <source>Temperature</source>
            <translation>טמפרטורה</translation>
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
            <translation>קנס על חזרה</translation>
        </message>
        <message>
            <source>Longest answer</source>
            <translation>אורך תשובה מרבי</translation>
        </message>
        <message>
            <source>Model's</source>
            <translation>של המודל</translation>
        </message>
        <message>
            <source>Seed</source>
            <translation>זרע</translation>
        </message>
        <message>
            <source>Fixed seed</source>
            <translation>זרע קבוע</translation>
        </message>
        <message>
            <source>Another seed</source>
            <translation>זרע אחר</translation>
        </message>
        <message>
            <source>0 always takes the likeliest token; higher is livelier.</source>
            <translation>0 בוחר תמיד באסימון הסביר ביותר; גבוה יותר חי יותר.</translation>
        </message>
        <message>
            <source>Only the likeliest tokens that together have this probability.</source>
            <translation>רק האסימונים הסבירים שיחד יש להם ההסתברות הזאת.</translation>
        </message>
        <message>
            <source>Only so many of the likeliest tokens; 0 is all of them.</source>
            <translation>רק מספר כזה של האסימונים הסבירים ביותר; 0 הוא כולם.</translation>
        </message>
        <message>
            <source>Only tokens at least this likely, against the likeliest.</source>
            <translation>רק אסימונים סבירים לפחות כך ביחס לסביר ביותר.</translation>
        </message>
        <message>
            <source>Above 1 the model repeats itself less.</source>
            <translation>מעל 1 המודל חוזר על עצמו פחות.</translation>
        </message>
        <message>
            <source>In tokens; 0 takes the model's own limit.</source>
            <translation>באסימונים; 0 לוקח את הגבול של המודל.</translation>
        </message>
    </context>
    <context>
        <name>SettingsDialog</name>
        <message>
            <source>Settings</source>
            <translation>הגדרות</translation>
        </message>
        <message>
            <source>General</source>
            <translation>כללי</translation>
        </message>
        <message>
            <source>Chats</source>
            <translation>שיחות</translation>
        </message>
        <message>
            <source>Engine</source>
            <translation>מנוע</translation>
        </message>
        <message>
            <source>Privacy</source>
            <translation>פרטיות</translation>
        </message>
        <message>
            <source>Shortcuts</source>
            <translation>קיצורי מקשים</translation>
        </message>
        <message>
            <source>Close</source>
            <translation>סגירה</translation>
        </message>
        <message>
            <source>As the system</source>
            <translation>כמו המערכת</translation>
        </message>
        <message>
            <source>Light</source>
            <translation>בהיר</translation>
        </message>
        <message>
            <source>Dark</source>
            <translation>כהה</translation>
        </message>
        <message>
            <source>Appearance</source>
            <translation>מראה</translation>
        </message>
        <message>
            <source>Text size</source>
            <translation>גודל טקסט</translation>
        </message>
        <message>
            <source>Language</source>
            <translation>שפה</translation>
        </message>
        <message>
            <source>A new language holds from the next start.</source>
            <translation>שפה חדשה תקפה מההפעלה הבאה.</translation>
        </message>
        <message>
            <source>Increase contrast</source>
            <translation>הגברת ניגודיות</translation>
        </message>
        <message>
            <source>Reduce motion</source>
            <translation>הפחתת תנועה</translation>
        </message>
        <message>
            <source>Ask before quitting while an answer is written</source>
            <translation>לשאול לפני יציאה בזמן שנכתבת תשובה</translation>
        </message>
        <message>
            <source>Return</source>
            <translation>Return</translation>
        </message>
        <message>
            <source>Ctrl (⌘) with Return</source>
            <translation>Ctrl (⌘) עם Return</translation>
        </message>
        <message>
            <source>Send with</source>
            <translation>שליחה עם</translation>
        </message>
        <message>
            <source>Paste as an attachment from</source>
            <translation>להדביק כקובץ מצורף מ־</translation>
        </message>
        <message>
            <source> characters</source>
            <translation> תווים</translation>
        </message>
        <message>
            <source>Let the model name chats when it has nothing else to do</source>
            <translation>לתת למודל לקרוא לשיחות בשם כשאין לו מה לעשות</translation>
        </message>
        <message>
            <source>Search by meaning too (read in idle time, kept on this machine)</source>
            <translation>לחפש גם לפי משמעות (נקרא בזמן פנוי, נשמר במחשב הזה)</translation>
        </message>
        <message>
            <source>Context limit</source>
            <translation>גבול הקשר</translation>
        </message>
        <message>
            <source>Model's</source>
            <translation>של המודל</translation>
        </message>
        <message>
            <source>Say so and stop</source>
            <translation>להודיע ולעצור</translation>
        </message>
        <message>
            <source>Leave out the oldest messages</source>
            <translation>להשמיט את ההודעות הישנות</translation>
        </message>
        <message>
            <source>Keep the system prompt and roll</source>
            <translation>לשמור את הנחיית המערכת ולגלגל</translation>
        </message>
        <message>
            <source>Rotate within the window</source>
            <translation>לסובב בתוך החלון</translation>
        </message>
        <message>
            <source>When it is full</source>
            <translation>כשהוא מלא</translation>
        </message>
        <message>
            <source>Unload the model after</source>
            <translation>פריקת המודל אחרי</translation>
        </message>
        <message>
            <source> minutes</source>
            <translation> דקות</translation>
        </message>
        <message>
            <source>Never</source>
            <translation>לעולם לא</translation>
        </message>
        <message>
            <source> GB</source>
            <translation> ג״ב</translation>
        </message>
        <message>
            <source>Automatic</source>
            <translation>אוטומטי</translation>
        </message>
        <message>
            <source>Memory for read prompts</source>
            <translation>זיכרון להנחיות שנקראו</translation>
        </message>
        <message>
            <source>None</source>
            <translation>אין</translation>
        </message>
        <message>
            <source>Disk for read prompts</source>
            <translation>דיסק להנחיות שנקראו</translation>
        </message>
        <message>
            <source>As they are</source>
            <translation>כמו שהם</translation>
        </message>
        <message>
            <source>8 bit</source>
            <translation>8 סיביות</translation>
        </message>
        <message>
            <source>4 bit</source>
            <translation>4 סיביות</translation>
        </message>
        <message>
            <source>Keys and values</source>
            <translation>מפתחות וערכים</translation>
        </message>
        <message>
            <source>Alternatives kept with each token</source>
            <translation>חלופות שנשמרות עם כל אסימון</translation>
        </message>
        <message>
            <source>Run the engine in a process of its own (from the next start)</source>
            <translation>להריץ את המנוע בתהליך משלו (מההפעלה הבאה)</translation>
        </message>
        <message>
            <source>Offline: never open a connection, downloads included</source>
            <translation>לא מקוון: לעולם לא לפתוח חיבור, גם לא להורדות</translation>
        </message>
        <message>
            <source>Chats, prompts and answers stay on this machine. Nothing is sent anywhere; the network is used for model downloads that you start, and for nothing else.</source>
            <translation>שיחות, הנחיות ותשובות נשארות במחשב הזה. דבר אינו נשלח; הרשת משמשת להורדות מודלים שאתם מתחילים, ולא לשום דבר אחר.</translation>
        </message>
        <message>
            <source>Chats and settings</source>
            <translation>שיחות והגדרות</translation>
        </message>
        <message>
            <source>What can be made again</source>
            <translation>מה שאפשר ליצור מחדש</translation>
        </message>
        <message>
            <source>Log (counts and times, never text)</source>
            <translation>יומן (מספרים וזמנים, לעולם לא טקסט)</translation>
        </message>
        <message>
            <source>Connections…</source>
            <translation>חיבורים…</translation>
        </message>
        <message>
            <source>Every request that left this machine</source>
            <translation>כל בקשה שיצאה מהמחשב הזה</translation>
        </message>
        <message>
            <source>Forget the access token</source>
            <translation>לשכוח את אסימון הגישה</translation>
        </message>
        <message>
            <source>The hub's token in the system's keychain</source>
            <translation>אסימון המאגר במחזיק המפתחות של המערכת</translation>
        </message>
        <message>
            <source>Models</source>
            <translation>מודלים</translation>
        </message>
        <message>
            <source>Another folder for models…</source>
            <translation>תיקייה אחרת למודלים…</translation>
        </message>
        <message>
            <source>The usual folder</source>
            <translation>התיקייה הרגילה</translation>
        </message>
        <message>
            <source>Export all chats…</source>
            <translation>ייצוא כל השיחות…</translation>
        </message>
        <message>
            <source>Erase all chats…</source>
            <translation>מחיקת כל השיחות…</translation>
        </message>
        <message>
            <source> tokens</source>
            <translation> אסימונים</translation>
        </message>
    </context>
    <context>
        <name>Sharing</name>
        <message>
            <source>Written to {path}.</source>
            <translation>נכתב אל {path}.</translation>
        </message>
        <message numerus="yes">
            <source>%n chat(s) were imported.</source>
            <translation>
                <numerusform>%n שיחות יובאו.</numerusform>
                <numerusform>%n שיחות יובאו.</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>%n could not be read.</source>
            <translation>
                <numerusform>%n לא ניתנו לקריאה.</numerusform>
                <numerusform>%n לא ניתנו לקריאה.</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>Shelf</name>
        <message>
            <source>About {weights} of weights + {cache} for {context} tokens of context + {scratch} to read a prompt = {needed}, {share} % of the {limit} that this machine can hold.</source>
            <translation>בערך {weights} משקולות + {cache} ל־{context} אסימוני הקשר + {scratch} לקריאת הנחיה = {needed}, ‏{share} % מתוך {limit} שהמחשב הזה יכול להחזיק.</translation>
        </message>
        <message>
            <source>This system has no keychain; the token is kept until you quit.</source>
            <translation>במערכת הזאת אין מחזיק מפתחות; האסימון נשמר עד היציאה.</translation>
        </message>
        <message>
            <source>{size} are free again.</source>
            <translation>{size} התפנו.</translation>
        </message>
        <message>
            <source>Verifying…</source>
            <translation>מאמת…</translation>
        </message>
        <message>
            <source>Importing {name}…</source>
            <translation>מייבא את {name}…</translation>
        </message>
        <message>
            <source>{name} is here now.</source>
            <translation>{name} כאן עכשיו.</translation>
        </message>
        <message>
            <source>Deleting…</source>
            <translation>מוחק…</translation>
        </message>
        <message>
            <source>Verified: whole and as it should be.</source>
            <translation>אומת: שלם וכפי שצריך להיות.</translation>
        </message>
        <message>
            <source>A model has arrived and is whole.</source>
            <translation>מודל הגיע והוא שלם.</translation>
        </message>
    </context>
    <context>
        <name>ShortcutPage</name>
        <message>
            <source>Shortcuts</source>
            <translation>קיצורי מקשים</translation>
        </message>
        <message>
            <source>Restore the default shortcuts</source>
            <translation>החזרת קיצורי ברירת המחדל</translation>
        </message>
        <message>
            <source>taken by “{name}”</source>
            <translation>תפוס על ידי ”{name}“</translation>
        </message>
    </context>
    <context>
        <name>ShortcutSheet</name>
        <message>
            <source>Shortcuts</source>
            <translation>קיצורי מקשים</translation>
        </message>
        <message>
            <source>Close</source>
            <translation>סגירה</translation>
        </message>
    </context>
    <context>
        <name>Sidebar</name>
        <message>
            <source>Search chats</source>
            <translation>חיפוש שיחות</translation>
        </message>
        <message>
            <source>New chat</source>
            <translation>שיחה חדשה</translation>
        </message>
        <message>
            <source>Nothing found</source>
            <translation>לא נמצא דבר</translation>
        </message>
        <message>
            <source>Trash</source>
            <translation>אשפה</translation>
        </message>
        <message>
            <source>Models</source>
            <translation>מודלים</translation>
        </message>
        <message>
            <source>Settings</source>
            <translation>הגדרות</translation>
        </message>
        <message>
            <source>Chat</source>
            <translation>שיחה</translation>
        </message>
        <message>
            <source>Rename</source>
            <translation>שינוי שם</translation>
        </message>
        <message>
            <source>Unpin</source>
            <translation>ביטול נעיצה</translation>
        </message>
        <message>
            <source>Pin</source>
            <translation>נעיצה</translation>
        </message>
        <message>
            <source>Move to folder</source>
            <translation>העברה לתיקייה</translation>
        </message>
        <message>
            <source>No folder</source>
            <translation>ללא תיקייה</translation>
        </message>
        <message>
            <source>New folder…</source>
            <translation>תיקייה חדשה…</translation>
        </message>
        <message>
            <source>Tags…</source>
            <translation>תגיות…</translation>
        </message>
        <message>
            <source>Export…</source>
            <translation>ייצוא…</translation>
        </message>
        <message>
            <source>Move to Trash</source>
            <translation>העברה לאשפה</translation>
        </message>
    </context>
    <context>
        <name>StatusLine</name>
        <message>
            <source>Status</source>
            <translation>מצב</translation>
        </message>
        <message>
            <source>Progress</source>
            <translation>התקדמות</translation>
        </message>
        <message>
            <source>Offline: nothing leaves this machine</source>
            <translation>לא מקוון: דבר אינו יוצא מהמחשב הזה</translation>
        </message>
        <message>
            <source>Offline</source>
            <translation>לא מקוון</translation>
        </message>
        <message>
            <source>Waiting for the model</source>
            <translation>ממתין למודל</translation>
        </message>
        <message>
            <source>No model yet; a message you send waits for it</source>
            <translation>אין מודל עדיין; הודעה שתשלחו תחכה לו</translation>
        </message>
        <message>
            <source>Ready</source>
            <translation>מוכן</translation>
        </message>
        <message>
            <source>{what} · {percent}</source>
            <translation>{what} · {percent}</translation>
        </message>
        <message>
            <source>Reading {percent}</source>
            <translation>קריאה {percent}</translation>
        </message>
        <message>
            <source>{n} tokens</source>
            <translation>{n} אסימונים</translation>
        </message>
        <message>
            <source>({n} reused)</source>
            <translation>({n} בשימוש חוזר)</translation>
        </message>
        <message>
            <source>Thinking · {n} tokens</source>
            <translation>חושב · {n} אסימונים</translation>
        </message>
        <message>
            <source>Writing</source>
            <translation>כותב</translation>
        </message>
        <message>
            <source>Writing · {rate} tok/s · {n} tokens</source>
            <translation>כותב · {rate} אסימונים לשנייה · {n} אסימונים</translation>
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
            <translation>אתם</translation>
        </message>
    </context>
    <context>
        <name>TokenDialog</name>
        <message>
            <source>Access token</source>
            <translation>אסימון גישה</translation>
        </message>
        <message>
            <source>{name} asks for an accepted licence. Accept it on its page, make an access token that may read in the settings of your account there, and paste it here. It is kept in the system's keychain and sent to the hub alone.</source>
            <translation>ל־{name} דרוש אישור של רישיון. אשרו אותו בדף שלו, צרו אסימון גישה לקריאה בהגדרות החשבון שלכם שם, והדביקו אותו כאן. הוא נשמר במחזיק המפתחות של המערכת ונשלח אל המאגר בלבד.</translation>
        </message>
        <message>
            <source>Use it</source>
            <translation>שימוש בו</translation>
        </message>
        <message>
            <source>Cancel</source>
            <translation>ביטול</translation>
        </message>
    </context>
    <context>
        <name>TransferCard</name>
        <message>
            <source>Open the licence page</source>
            <translation>פתיחת דף הרישיון</translation>
        </message>
        <message>
            <source>Paste a token…</source>
            <translation>הדבקת אסימון…</translation>
        </message>
        <message>
            <source>Pause</source>
            <translation>השהיה</translation>
        </message>
        <message>
            <source>Go on</source>
            <translation>המשך</translation>
        </message>
        <message>
            <source>Discard</source>
            <translation>ביטול</translation>
        </message>
    </context>
    <context>
        <name>TrashDialog</name>
        <message>
            <source>Trash</source>
            <translation>אשפה</translation>
        </message>
        <message>
            <source>Deleted chats</source>
            <translation>שיחות שנמחקו</translation>
        </message>
        <message numerus="yes">
            <source>Chats stay here for %n day(s); then they go for good.</source>
            <translation>
                <numerusform>שיחות נשארות כאן %n ימים; אחר כך הן נעלמות לתמיד.</numerusform>
                <numerusform>שיחות נשארות כאן %n ימים; אחר כך הן נעלמות לתמיד.</numerusform>
            </translation>
        </message>
        <message>
            <source>The trash is empty.</source>
            <translation>האשפה ריקה.</translation>
        </message>
        <message>
            <source>Restore</source>
            <translation>שחזור</translation>
        </message>
        <message>
            <source>Delete for good</source>
            <translation>מחיקה לתמיד</translation>
        </message>
        <message>
            <source>Empty the trash</source>
            <translation>ריקון האשפה</translation>
        </message>
        <message>
            <source>Close</source>
            <translation>סגירה</translation>
        </message>
    </context>
    <context>
        <name>Tuning</name>
        <message>
            <source>The next message does not fit; start a new chat or raise the limit.</source>
            <translation>ההודעה הבאה אינה נכנסת; התחילו שיחה חדשה או הגדילו את הגבול.</translation>
        </message>
        <message>
            <source>The oldest messages will be left out of the next answer.</source>
            <translation>ההודעות הישנות ביותר יושמטו מהתשובה הבאה.</translation>
        </message>
    </context>
    <context>
        <name>UndoBar</name>
        <message>
            <source>Undo</source>
            <translation>ביטול הפעולה</translation>
        </message>
    </context>
    <context>
        <name>VariantForm</name>
        <message>
            <source>Temperature</source>
            <translation>טמפרטורה</translation>
        </message>
        <message>
            <source>Longest answer</source>
            <translation>אורך תשובה מרבי</translation>
        </message>
        <message>
            <source>Complete the text</source>
            <translation>השלמת הטקסט</translation>
        </message>
        <message>
            <source>Remove</source>
            <translation>הסרה</translation>
        </message>
        <message>
            <source>Copy as another</source>
            <translation>שכפול לגרסה נוספת</translation>
        </message>
        <message>
            <source>Name</source>
            <translation>שם</translation>
        </message>
        <message>
            <source>System prompt</source>
            <translation>הנחיית מערכת</translation>
        </message>
        <message>
            <source>None</source>
            <translation>אין</translation>
        </message>
        <message>
            <source>Template</source>
            <translation>תבנית</translation>
        </message>
        <message>
            <source>Explain {{topic}} in one sentence.</source>
            <translation>הסבירו את {{topic}} במשפט אחד.</translation>
        </message>
        <message>
            <source>Variant</source>
            <translation>גרסה</translation>
        </message>
    </context>
    <context>
        <name>VoteDialog</name>
        <message>
            <source>Blind vote</source>
            <translation>הצבעה עיוורת</translation>
        </message>
        <message>
            <source>Left</source>
            <translation>שמאל</translation>
        </message>
        <message>
            <source>Right</source>
            <translation>ימין</translation>
        </message>
        <message>
            <source>Left is better</source>
            <translation>השמאלית טובה יותר</translation>
        </message>
        <message>
            <source>Neither</source>
            <translation>אף אחת</translation>
        </message>
        <message>
            <source>Right is better</source>
            <translation>הימנית טובה יותר</translation>
        </message>
        <message>
            <source>{name}: {wins} won, {losses} lost, {ties} even</source>
            <translation>{name}: {wins} ניצחונות, {losses} הפסדים, {ties} תיקו</translation>
        </message>
        <message>
            <source>That was all.</source>
            <translation>זה הכול.</translation>
        </message>
        <message>
            <source>Which answer is better? ({n} of {total})</source>
            <translation>איזו תשובה טובה יותר? ({n} מתוך {total})</translation>
        </message>
    </context>
    <context>
        <name>Welcome</name>
        <message>
            <source>What would you like to try?</source>
            <translation>מה תרצו לנסות?</translation>
        </message>
        <message>
            <source>Private: chats stay on this machine.</source>
            <translation>פרטי: השיחות נשארות במחשב הזה.</translation>
        </message>
        <message>
            <source>Explain how rainbows form, in three sentences.</source>
            <translation>הסבירו איך נוצרת קשת בענן, בשלושה משפטים.</translation>
        </message>
        <message>
            <source>Write a short poem about a quiet morning.</source>
            <translation>כתבו שיר קצר על בוקר שקט.</translation>
        </message>
        <message>
            <source>Give me five names for a small bakery.</source>
            <translation>תנו לי חמישה שמות למאפייה קטנה.</translation>
        </message>
        <message>
            <source>Write a Python function that finds prime numbers.</source>
            <translation>כתבו פונקציית Python שמוצאת מספרים ראשוניים.</translation>
        </message>
        <message>
            <source>What is the capital of France?</source>
            <translation>מהי בירת צרפת?</translation>
        </message>
        <message>
            <source>Name three colours of the rainbow.</source>
            <translation>מנו שלושה צבעים של הקשת.</translation>
        </message>
        <message>
            <source>Why is the sky blue?</source>
            <translation>למה השמיים כחולים?</translation>
        </message>
        <message>
            <source>Tell me a short story about a fox.</source>
            <translation>ספרו לי סיפור קצר על שועל.</translation>
        </message>
    </context>
</TS>
