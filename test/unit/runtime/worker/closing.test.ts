import { expect, test } from 'vitest'
import { type Reply, toResponse } from '../../../../src/http/wire/message.ts'
import { closingAfter } from '../../../../src/runtime/worker/closing.ts'

/** The answer of a stream, and how often what it needs was closed. */
function streamed(parts: AsyncIterable<string>) {
  const state = { closed: 0 }
  const close = async (): Promise<void> => void state.closed++
  const reply: Reply = { status: 200, headers: {}, body: parts }
  const closing = closingAfter(reply, close, { waitUntil: () => {} })
  return { state, body: closing.body as AsyncIterable<string>, closing }
}

async function* twoParts(): AsyncGenerator<string> {
  yield 'a'
  yield 'b'
}

test('a stream closes its ledger when it was read', async () => {
  const { state, closing } = streamed(twoParts())
  expect(await toResponse(closing).text()).toBe('ab')
  expect(state.closed).toBe(1)
})

test.each([0, 1, 2, 3])('or when it is cancelled behind %i reads', async reads => {
  const { state, body } = streamed(twoParts())
  const iterator = body[Symbol.asyncIterator]()
  for (let read = 0; read < reads; read++) await iterator.next()
  await iterator.return!()
  expect(state.closed).toBe(1)
  expect(await iterator.next()).toEqual({ done: true, value: undefined })
  expect(state.closed).toBe(1)
})

test('or when it fails', async () => {
  async function* failing(): AsyncGenerator<string> {
    yield 'a'
    throw new Error('lost')
  }
  const { state, body } = streamed(failing())
  const read = async (): Promise<void> => {
    for await (const _ of body);
  }
  await expect(read()).rejects.toThrow('lost')
  expect(state.closed).toBe(1)
})

test('an answer that is whole closes it behind the answer', async () => {
  const kept: Promise<unknown>[] = []
  let closed = 0
  const reply: Reply = { status: 200, headers: {}, body: 'all' }
  expect(closingAfter(reply, async () => void closed++, { waitUntil: work => kept.push(work) })).toBe(reply)
  await Promise.all(kept)
  expect(closed).toBe(1)
})
