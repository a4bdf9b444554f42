"""The templates of our own, for models that bring none: Gemma's turns, and a plain transcript.

Source: https://ai.google.dev/gemma/docs/core/prompt-structure and
https://ai.google.dev/gemma/docs/core/prompt-formatting-gemma4.
"""

from __future__ import annotations

from typing import Final

MARK: Final = "\ue0f2"  # a place that is worth keeping as the end of a prefix

# Gemma 1, 2, 3 and 3n: no system role, so its text begins the first user turn.
TURNS: Final = """\
{% set start = 1 if messages[0]['role'] == 'system' else 0 %}
{% for message in messages[start:] %}
{% set role = 'model' if message['role'] == 'assistant' else message['role'] %}
{{- '<start_of_turn>' + role + '\\n' -}}
{% if loop.first and start and messages[0]['content'] %}
{{- messages[0]['content'] | trim + '\\n\\n' -}}
{% endif %}
{{- message['content'] | trim + '<end_of_turn>\\n' -}}
{% endfor %}
{{- '<start_of_turn>model\\n' -}}
"""

# Gemma 4: a system role; thinking is asked for there.
TURNS_WITH_SYSTEM: Final = """\
{% set start = 1 if messages[0]['role'] == 'system' else 0 %}
{% if start or enable_thinking %}
{{- '<|turn>system\\n' -}}
{% if enable_thinking %}{{- '<|think|>\\n' -}}{% endif %}
{% if start %}{{- messages[0]['content'] | trim -}}{% endif %}
{{- '<turn|>\\n' -}}
{% endif %}
{% for message in messages[start:] %}
{% set role = 'model' if message['role'] == 'assistant' else message['role'] %}
{{- '<|turn>' + role + '\\n' + message['content'] | trim + '<turn|>\\n' -}}
{% endfor %}
{{- '<|turn>model\\n' -}}
{% if not enable_thinking %}{{- '<|channel>thought\\n<channel|>' -}}{% endif %}
"""

# A base model has read many transcripts and no control tokens: see decision 0030.
TRANSCRIPT: Final = (
    """\
{{- 'The following is a conversation between a User and a helpful, honest Assistant \
who answers clearly.' -}}
{% if messages[0]['role'] == 'system' %}{{- ' ' + messages[0]['content'] | trim -}}{% endif %}
{{- '\\n\\nUser: What colour is the sky on a clear day?\\nAssistant: It is blue.' -}}
{% for message in messages %}
{% if message['role'] == 'user' %}
{{- 'MARK\\n\\nUser: ' + message['content'] | trim -}}
{% elif message['role'] == 'assistant' %}
{{- 'MARK\\nAssistant: ' + message['content'] | trim -}}
{% endif %}
{% endfor %}
{{- 'MARK\\nAssistant:' -}}
"""
).replace("MARK", MARK)
TRANSCRIPT_STOPS: Final = ("\nUser:", "\n\nUser:", "\nAssistant:", "\n\nAssistant:")
