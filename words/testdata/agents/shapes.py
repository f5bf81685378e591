"""Turns the recorded body of a request with tools into a list of tools of the
same sizes and shapes in which no word is left of the original.

    python3 shapes.py <recorded.json >agent.json

Letters become other letters of the same case, digits become digits; marks,
blanks, line ends, JSON Schema's own words and the types stay. A name is the same
wherever it stands, so that what is required is still there.
"""

import json
import random
import sys

KEYWORDS = {"type", "format", "$schema", "$ref"}
NAMED = {"properties", "patternProperties", "$defs", "definitions"}
rand = random.Random(1)
names: dict[str, str] = {}


def other(c: str) -> str:
    if c.isascii() and c.isalpha():
        new = rand.choice("aeinorstul")
        return new.upper() if c.isupper() else new
    if c.isdigit():
        return rand.choice("0123456789")
    return c


def prose(text: str) -> str:
    # A short form's dot ends no sentence, so it stays what it is.
    return " ".join(w if w.strip("(").lower() in ("e.g.", "i.e.", "etc.") else "".join(map(other, w)) for w in text.split(" "))


def name(text: str) -> str:
    while text not in names:
        new = "".join(map(other, text))
        if new not in names.values() or len(text) < 2:
            names[text] = new
    return names[text]


def data(v):
    if isinstance(v, str):
        return prose(v) if " " in v else name(v)
    if isinstance(v, list):
        return [data(x) for x in v]
    if isinstance(v, dict):
        return {name(k): data(x) for k, x in v.items()}
    return v


def schema(v):
    if not isinstance(v, dict):
        return [schema(x) for x in v] if isinstance(v, list) else v
    out = {}
    for k, x in v.items():
        if k in KEYWORDS:
            out[k] = x
        elif k in NAMED and isinstance(x, dict):
            out[k] = {name(n): schema(s) for n, s in x.items()}
        elif k in ("enum", "const", "default", "examples", "required"):
            out[k] = data(x)
        elif isinstance(x, str):
            out[k] = prose(x)
        else:
            out[k] = schema(x)
    return out


def tools(body):
    for t in body["tools"]:
        if "functionDeclarations" in t:
            yield from t["functionDeclarations"]
        elif t.get("type") == "namespace":
            yield from t["tools"]
        elif t.get("type", "function") in ("function", "custom"):
            yield t.get("function", t)


out = []
for t in tools(json.load(sys.stdin)):
    s = next((t[k] for k in ("parameters", "input_schema", "parametersJsonSchema") if t.get(k)), {"type": "object"})
    out.append({"name": name(t["name"]), "description": prose(t.get("description", "")), "parameters": schema(s)})
print("[" + ",\n".join(json.dumps(t, ensure_ascii=False, separators=(",", ":")) for t in out) + "]")
