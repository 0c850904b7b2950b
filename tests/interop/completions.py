"""Chat completions over HTTP, as any program of OpenAI's API asks for them."""

import json
import urllib.error
import urllib.request

from outcome import Failed

LONGEST_SILENCE = 300.0


def stream(base_url: str, key: str, model: str, text: str) -> tuple[str, int]:
    """What a model answers, and in how many pieces it came."""
    body = {"model": model, "messages": [{"role": "user", "content": text}], "stream": True}
    pieces = []
    with post(f"{base_url}/chat/completions", key, body) as answer:
        for line in answer:
            data = line.decode().strip().removeprefix("data:").strip()
            if not data.startswith("{"):
                continue
            event = json.loads(data)
            if "error" in event:
                raise Failed(f"the stream ended with {event['error']}")
            choices = event.get("choices") or [{}]
            if piece := (choices[0].get("delta") or {}).get("content"):
                pieces.append(piece)
    return "".join(pieces), len(pieces)


def models(base_url: str, key: str) -> list[str]:
    request = urllib.request.Request(f"{base_url}/models", headers={"Authorization": f"Bearer {key}"})
    with urllib.request.urlopen(request, timeout=LONGEST_SILENCE) as answer:
        return [model["id"] for model in json.load(answer)["data"]]


def post(url: str, key: str, body: object):
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    request = urllib.request.Request(url, data=json.dumps(body).encode(), headers=headers, method="POST")
    try:
        return urllib.request.urlopen(request, timeout=LONGEST_SILENCE)
    except urllib.error.HTTPError as refusal:
        raise Failed(f"POST {url}: {refusal.code} {refusal.read().decode(errors='replace')[:500]}") from None
