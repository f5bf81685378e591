"""The official OpenAI SDK for Python, unmodified, against a running gateway.

FERRULE_URL names it; the demo models stand behind it.
"""

import json
import os
import unittest

import openai

MODELS = ("demo/chat-lite", "demo/wrapper", "demo/native")
ONE = 'do get_weather {"city": "Paris"}'
TWO = 'do get_weather {"city": "Paris"} and get_time {"zone": "CET"}'


def tool(name, field):
    return {
        "type": "function",
        "function": {
            "name": name,
            "description": f"Tells the {field}.",
            "parameters": {
                "type": "object",
                "properties": {field: {"type": "string"}},
                "required": [field],
            },
        },
    }


TOOLS = [tool("get_weather", "city"), tool("get_time", "zone")]
client = openai.OpenAI(base_url=os.environ["FERRULE_URL"] + "/v1", api_key="unused", max_retries=0)


def ask(model, user, streamed, messages=None, tools=TOOLS, **more):
    """Returns the message and the finish reason."""
    messages = messages or [{"role": "user", "content": user}]
    if not streamed:
        choice = client.chat.completions.create(model=model, messages=messages, tools=tools, **more).choices[0]
        return choice.message, choice.finish_reason
    with client.chat.completions.stream(
        model=model, messages=messages, tools=tools, stream_options={"include_usage": True}, **more
    ) as stream:
        for _ in stream:
            pass
        final = stream.get_final_completion()
    assert final.usage.total_tokens > 0
    return final.choices[0].message, final.choices[0].finish_reason


class Chat(unittest.TestCase):
    def each(self):
        for model in MODELS:
            for streamed in (False, True):
                with self.subTest(model=model, streamed=streamed):
                    yield model, streamed

    def calls(self, answer, *names):
        message, finish = answer
        got = message.tool_calls or []
        self.assertEqual([c.function.name for c in got], list(names))
        self.assertEqual(len({c.id for c in got}), len(got))
        for call in got:
            json.loads(call.function.arguments)
        self.assertEqual(finish, "tool_calls")
        return message

    def test_text(self):
        for model, streamed in self.each():
            message, finish = ask(model, 'say "Good morning."', streamed)
            self.assertEqual(message.content, "Good morning.")
            self.assertEqual(finish, "stop")

    def test_calls(self):
        for model, streamed in self.each():
            self.calls(ask(model, ONE, streamed), "get_weather")
            self.calls(ask(model, TWO, streamed), "get_weather", "get_time")
            self.calls(ask(model, TWO, streamed, parallel_tool_calls=False), "get_weather")

    def test_result_turn(self):
        for model, streamed in self.each():
            message = self.calls(ask(model, TWO, streamed), "get_weather", "get_time")
            history = [
                {"role": "user", "content": TWO},
                {"role": "assistant", "content": message.content, "tool_calls": [
                    {"id": c.id, "type": "function",
                     "function": {"name": c.function.name, "arguments": c.function.arguments}}
                    for c in message.tool_calls]},
            ]
            history += [{"role": "tool", "tool_call_id": c.id, "content": "18 degrees"} for c in message.tool_calls]
            message, finish = ask(model, "", streamed, messages=history)
            self.assertIn("18 degrees", message.content)
            self.assertEqual(finish, "stop")

    def test_tool_choice(self):
        time = {"type": "function", "function": {"name": "get_time"}}
        allowed = {"type": "allowed_tools", "allowed_tools": {"mode": "required", "tools": [time]}}
        for model, streamed in self.each():
            for choice in ("auto", "required"):
                self.calls(ask(model, ONE, streamed, tool_choice=choice), "get_weather")
            for choice in (time, allowed):
                self.calls(ask(model, 'do get_time {"zone": "CET"}', streamed, tool_choice=choice), "get_time")
            message, _ = ask(model, ONE, streamed, tool_choice="none")
            self.assertFalse(message.tool_calls)

    def test_correction(self):
        for model in MODELS[:2]:
            self.calls(ask(model, ONE + "\nfumble: wrong-type", True), "get_weather")

    def test_errors(self):
        for streamed in (False, True):
            with self.assertRaises(openai.NotFoundError) as caught:
                ask("demo/nope", ONE, streamed)
            self.assertEqual(caught.exception.code, "model_not_found")
            with self.assertRaises(openai.UnprocessableEntityError) as caught:
                ask("demo/chat-lite", ONE + "\nfumble: wrong-type always", streamed)
            self.assertEqual(caught.exception.code, "tool_call_invalid")


if __name__ == "__main__":
    unittest.main()
