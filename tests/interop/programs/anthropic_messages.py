"""Asks over Anthropic's SDK, and prints what came as JSON: `stream MODEL QUESTION`, or `tools MODEL`."""

import json
import sys

import anthropic

client = anthropic.Anthropic(max_retries=0)


def stream(model: str, question: str) -> dict:
    pieces = []
    asked = [{"role": "user", "content": question}]
    with client.messages.stream(model=model, max_tokens=500, messages=asked) as answer:
        for text in answer.text_stream:
            pieces.append(text)
        message = answer.get_final_message()
    assert message.content[0].text == "".join(pieces), message
    refused = None
    try:
        client.with_options(api_key="plx_made-up").messages.create(model=model, max_tokens=9, messages=asked)
    except anthropic.AuthenticationError as error:
        refused = error.body["error"]["type"]
    assert refused == "authentication_error", refused
    return {"text": "".join(pieces), "pieces": len(pieces), "reason": message.stop_reason}


def tools(model: str) -> dict:
    schema = {"type": "object", "properties": {"city": {"type": "string"}}}
    tool = {"name": "weather", "description": "Tells the weather.", "input_schema": schema}
    messages = [{"role": "user", "content": 'call=weather {"city": "Bern"}'}]
    first = client.messages.create(model=model, max_tokens=500, messages=messages, tools=[tool])
    assert first.stop_reason == "tool_use", first
    call = next(block for block in first.content if block.type == "tool_use")
    result = {"type": "tool_result", "tool_use_id": call.id, "content": "rain"}
    messages += [{"role": "assistant", "content": first.content}, {"role": "user", "content": [result]}]
    last = client.messages.create(model=model, max_tokens=500, messages=messages, tools=[tool])
    return {"city": call.input["city"], "text": last.content[0].text}


print(json.dumps({"stream": stream, "tools": tools}[sys.argv[1]](*sys.argv[2:])))
