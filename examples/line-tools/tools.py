#!/usr/bin/env python3
# A tool server in lines: reads {"toolCall":…}, writes {"toolResult":…}.
#   sidecar run --mode lines --manifest examples/line-tools/tools.json -- examples/line-tools/tools.py
#   sidecar call text.reverse '{"text":"abc"}'
import json, signal, sys
TOOLS = {"text.reverse": lambda a: a["text"][::-1],
         "text.count": lambda a: {"words": len(a["text"].split())}}
signal.signal(signal.SIGINT, lambda *_: None)  # a cancel: it must not end the program

for line in sys.stdin:
    try:
        call = json.loads(line)["toolCall"]
    except (ValueError, KeyError, TypeError):  # a message: it must not end the program
        print("this program takes tool calls only", flush=True)
        continue
    try:
        result = {"structuredContent": TOOLS[call["name"]](call["arguments"])}
    except Exception as e:
        result = {"content": [{"type": "text", "text": repr(e)}], "isError": True}
    print(json.dumps({"toolResult": {"id": call["id"], **result}}), flush=True)
