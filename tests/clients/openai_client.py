"""The OpenAI client against a hub: every step asserts what it got. Usage: openai_client.py BASE_URL (OPENAI_API_KEY)."""

import sys

import openai


def main(base_url: str) -> None:
    client = openai.OpenAI(base_url=base_url, max_retries=0, timeout=60)
    models(client)
    chat(client)
    chat_stream(client)
    responses(client)
    errors(client)


def models(client: openai.OpenAI) -> None:
    ids = [model.id for model in client.models.list()]
    assert "plexus/calc" in ids, ids
    assert client.models.retrieve("plexus/calc").owned_by == "plexus"


def chat(client: openai.OpenAI) -> None:
    messages = [{"role": "system", "content": "Be exact."}, {"role": "user", "content": "6 * 7"}]
    first = client.chat.completions.create(model="plexus/calc", messages=messages)
    answer = first.choices[0].message
    assert "42" in answer.content and first.choices[0].finish_reason == "stop", first
    assert first.usage.total_tokens == first.usage.prompt_tokens + first.usage.completion_tokens
    messages += [answer, {"role": "user", "content": "1 + 1"}]
    second = client.chat.completions.create(model="@plexus/calc", messages=messages)
    assert "2" in second.choices[0].message.content, second


def chat_stream(client: openai.OpenAI) -> None:
    content = [{"type": "text", "text": "20 + 3"}]
    stream = client.chat.completions.create(
        model="plexus/calc",
        messages=[{"role": "user", "content": content}],
        stream=True,
        stream_options={"include_usage": True},
    )
    chunks = list(stream)
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    assert "23" in text, text
    assert chunks[-1].usage is not None and chunks[-1].choices == [], chunks[-1]


def responses(client: openai.OpenAI) -> None:
    first = client.responses.create(model="plexus/calc", input="2 + 3", instructions="Be exact.")
    assert first.status == "completed" and "5" in first.output_text, first
    more = client.responses.create(model="plexus/calc", input="4 + 4", previous_response_id=first.id)
    assert "8" in more.output_text, more
    with client.responses.stream(model="plexus/calc", input="6 * 7", previous_response_id=more.id) as stream:
        kinds = [event.type for event in stream]
        final = stream.get_final_response()
    assert kinds[0] == "response.created" and kinds[-1] == "response.completed", kinds
    assert "42" in final.output_text, final


def errors(client: openai.OpenAI) -> None:
    hello = [{"role": "user", "content": "Hello"}]
    expect(openai.NotFoundError, lambda: client.chat.completions.create(model="plexus/nobody", messages=hello))
    expect(openai.NotFoundError, lambda: client.models.retrieve("nobody/there"))
    expect(openai.BadRequestError, lambda: client.chat.completions.create(model="plexus/calc", messages=[]))
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
    shown = [{"role": "user", "content": [{"type": "text", "text": "1 + 1"}, picture]}]
    expect(openai.BadRequestError, lambda: client.chat.completions.create(model="plexus/calc", messages=shown))
    unknown = client.with_options(api_key="plx_made-up")
    expect(openai.AuthenticationError, lambda: unknown.models.list())


def expect(error: type[openai.APIStatusError], call) -> None:
    try:
        call()
    except error as raised:
        assert raised.body["message"], raised.body
        return
    raise AssertionError(f"no {error.__name__}")


main(sys.argv[1])
