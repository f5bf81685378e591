// The official OpenAI SDK for Node, unmodified, against a running gateway.
// FERRULE_URL names it; the demo models stand behind it.
import assert from "node:assert/strict";
import { test } from "node:test";
import OpenAI from "openai";

const models = ["demo/chat-lite", "demo/wrapper", "demo/native"];
const one = 'do get_weather {"city": "Paris"}';
const two = 'do get_weather {"city": "Paris"} and get_time {"zone": "CET"}';
const tool = (name, field) => ({
  type: "function",
  function: {
    name,
    description: `Tells the ${field}.`,
    parameters: { type: "object", properties: { [field]: { type: "string" } }, required: [field] },
  },
});
const tools = [tool("get_weather", "city"), tool("get_time", "zone")];
const client = new OpenAI({ baseURL: process.env.FERRULE_URL + "/v1", apiKey: "unused", maxRetries: 0 });

// ask returns the one choice of the answer.
async function ask(model, user, streamed, more = {}) {
  const q = { model, messages: [{ role: "user", content: user }], tools, ...more };
  if (!streamed) return (await client.chat.completions.create(q)).choices[0];
  const stream = client.chat.completions.stream({ ...q, stream_options: { include_usage: true } });
  const final = await stream.finalChatCompletion();
  assert.ok(final.usage.total_tokens > 0);
  return final.choices[0];
}

function calls(choice, ...names) {
  const got = choice.message.tool_calls ?? [];
  assert.deepEqual(got.map((c) => c.function.name), names);
  assert.equal(new Set(got.map((c) => c.id)).size, got.length);
  for (const c of got) JSON.parse(c.function.arguments);
  assert.equal(choice.finish_reason, "tool_calls");
  return choice.message;
}

for (const model of models) {
  for (const streamed of [false, true]) {
    const name = `${model} ${streamed ? "streamed" : "whole"}`;
    test(`${name}: text`, async () => {
      const c = await ask(model, 'say "Good morning."', streamed);
      assert.equal(c.message.content, "Good morning.");
      assert.equal(c.finish_reason, "stop");
    });
    test(`${name}: calls`, async () => {
      calls(await ask(model, one, streamed), "get_weather");
      calls(await ask(model, two, streamed), "get_weather", "get_time");
      calls(await ask(model, two, streamed, { parallel_tool_calls: false }), "get_weather");
    });
    test(`${name}: result turn`, async () => {
      const { content, tool_calls } = calls(await ask(model, two, streamed), "get_weather", "get_time");
      const messages = [
        { role: "user", content: two },
        { role: "assistant", content, tool_calls },
        ...tool_calls.map((c) => ({ role: "tool", tool_call_id: c.id, content: "18 degrees" })),
      ];
      const c = await ask(model, "", streamed, { messages });
      assert.match(c.message.content, /18 degrees/);
      assert.equal(c.finish_reason, "stop");
    });
    test(`${name}: tool_choice`, async () => {
      const time = { type: "function", function: { name: "get_time" } };
      const allowed = { type: "allowed_tools", allowed_tools: { mode: "required", tools: [time] } };
      for (const tool_choice of ["auto", "required"]) calls(await ask(model, one, streamed, { tool_choice }), "get_weather");
      for (const tool_choice of [time, allowed]) {
        calls(await ask(model, 'do get_time {"zone": "CET"}', streamed, { tool_choice }), "get_time");
      }
      const c = await ask(model, one, streamed, { tool_choice: "none" });
      assert.equal(c.message.tool_calls?.length ?? 0, 0);
    });
    test(`${name}: errors`, async () => {
      await assert.rejects(ask("demo/nope", one, streamed), (e) => e.status === 404 && e.code === "model_not_found");
      await assert.rejects(
        ask("demo/chat-lite", one + "\nfumble: wrong-type always", streamed),
        (e) => e.status === 422 && e.code === "tool_call_invalid",
      );
    });
  }
}

test("a client that goes away ends its stream", async () => {
  const stream = await client.chat.completions.create({
    model: "demo/chat-lite", stream: true, messages: [{ role: "user", content: 'pause: 50 ms\nsay "one two three four five six seven eight"' }],
  });
  for await (const chunk of stream) {
    assert.ok(chunk);
    break;
  }
});
