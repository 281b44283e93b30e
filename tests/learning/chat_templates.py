"""Chat templates in the shapes that published models have them, shortened."""

CHATML_TOOLS = """
{%- if tools %}
{{- '<|im_start|>system\\n' }}
{%- if messages[0].role == 'system' %}{{- messages[0].content + '\\n\\n' }}{%- endif %}
{{- '# Tools\\n<tools>' }}
{%- for tool in tools %}{{- '\\n' }}{{- tool | tojson }}{%- endfor %}
{{- '\\n</tools><|im_end|>\\n' }}
{%- elif messages[0].role == 'system' %}
{{- '<|im_start|>system\\n' + messages[0].content + '<|im_end|>\\n' }}
{%- endif %}
{%- for message in messages %}
{%- if message.role == 'user' or (message.role == 'system' and not loop.first) %}
{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}
{%- elif message.role == 'assistant' %}
{{- '<|im_start|>assistant\\n' + message.content }}
{%- for call in message.tool_calls %}
{%- if message.content or not loop.first %}{{- '\\n' }}{%- endif %}
{{- '<tool_call>\\n{"name": "' + call.function.name + '", "arguments": ' }}
{{- call.function.arguments | tojson }}
{{- '}\\n</tool_call>' }}
{%- endfor %}
{{- '<|im_end|>\\n' }}
{%- elif message.role == 'tool' %}
{%- if loop.first or messages[loop.index0 - 1].role != 'tool' %}
{{- '<|im_start|>user' }}
{%- endif %}
{{- '\\n<tool_response>\\n' + message.content + '\\n</tool_response>' }}
{%- if loop.last or messages[loop.index0 + 1].role != 'tool' %}
{{- '<|im_end|>\\n' }}
{%- endif %}
{%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}
"""

# The last turn, and no other, opens with empty reasoning.
CHATML_THINKING = CHATML_TOOLS.replace(
    "{{- '<|im_start|>assistant\\n' + message.content }}",
    "{{- '<|im_start|>assistant\\n' }}"
    "{%- if loop.last %}{{- '<think>\\n\\n</think>\\n\\n' }}{%- endif %}"
    "{{- message.content }}",
)

LLAMA_3 = """
{{- bos_token }}
{%- if messages[0].role == 'system' %}
{%- set system = messages[0].content | trim %}{%- set messages = messages[1:] %}
{%- else %}{%- set system = '' %}{%- endif %}
{{- '<|start_header_id|>system<|end_header_id|>\\n\\n' }}
{{- 'Today Date: ' + strftime_now('%d %b %Y') + '\\n\\n' + system + '<|eot_id|>' }}
{%- for message in messages %}
{%- if message.tool_calls %}
{{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}
{{- '{"name": "' + message.tool_calls[0].function.name + '", "parameters": ' }}
{{- message.tool_calls[0].function.arguments | tojson + '}<|eot_id|>' }}
{%- elif message.role == 'tool' %}
{{- '<|start_header_id|>ipython<|end_header_id|>\\n\\n' }}
{{- message.content | tojson + '<|eot_id|>' }}
{%- else %}
{{- '<|start_header_id|>' + message.role + '<|end_header_id|>\\n\\n' }}
{{- message.content | trim + '<|eot_id|>' }}
{%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
{{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}
{%- endif %}
"""

MISTRAL = """
{{- bos_token }}
{%- if messages[0].role == 'system' %}
{{- raise_exception('Only user, assistant and tool roles are supported!') }}
{%- endif %}
{%- for message in messages %}
{%- if message.role == 'user' %}{{- '[INST] ' + message.content + ' [/INST]' }}
{%- elif message.tool_calls %}
{{- '[TOOL_CALLS] [' }}
{%- for call in message.tool_calls %}
{{- '{"name": "' + call.function.name + '", "arguments": ' }}
{{- call.function.arguments | tojson + '}' }}
{%- endfor %}
{{- ']' + eos_token }}
{%- elif message.role == 'tool' %}
{{- '[TOOL_RESULTS] {"content": ' + message.content | tojson + '}[/TOOL_RESULTS]' }}
{%- else %}{{- ' ' + message.content + eos_token }}
{%- endif %}
{%- endfor %}
"""

MARKED = """
{%- for message in messages %}
{%- if message.role == 'assistant' %}
{{- '<|im_start|>assistant\\n' }}
{%- generation %}{{- message.content + '<|im_end|>' }}{%- endgeneration %}
{{- '\\n' }}
{%- else %}
{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}
{%- endif %}
{%- endfor %}
"""

# Everything that was said becomes one turn of the user's.
MERGING = """
{{- '<|im_start|>user\\n' }}
{%- for role in ['user', 'assistant'] %}
{%- for message in messages %}
{%- if message.role == role %}{{- message.content + '\\n' }}{%- endif %}
{%- endfor %}
{%- endfor %}
{{- '<|im_end|>\\n' }}
"""

# Two turns of the agent without an answer between them become one.
JOINING = """
{%- for message in messages %}
{%- if loop.first or messages[loop.index0 - 1].role != message.role %}
{{- '<|im_start|>' + message.role + '\\n' }}
{%- endif %}
{{- message.content }}
{%- if loop.last or messages[loop.index0 + 1].role != message.role %}
{{- '<|im_end|>\\n' }}
{%- endif %}
{%- endfor %}
"""

WITHOUT_TOOLS = """
{%- for message in messages %}
{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}
{%- endfor %}
"""

LAST_USER_ONLY = """
{%- for message in messages %}
{%- if message.role == 'assistant' or loop.first %}
{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}
{%- endif %}
{%- endfor %}
"""
