import { expect, test } from 'vitest'
import { inLargeParts } from '../../../../src/runtime/worker/body.ts'

test.each([
  ['of bytes, of a runtime that fills no buffers', 'bytes'],
  ['that a program made of its own parts', undefined],
] as const)('a stream %s is read as it comes', async (_name, type) => {
  const parts = [Uint8Array.of(1, 2), Uint8Array.of(3)]
  const start = (controller: ReadableStreamController<Uint8Array>): void => {
    for (const part of parts) controller.enqueue(part.slice())
    controller.close()
  }
  const body = type === undefined ? new ReadableStream({ start }) : new ReadableStream({ type, start })
  const request = new Request('http://x/', { method: 'POST', body, duplex: 'half' } as RequestInit)
  const read: Uint8Array[] = []
  for await (const part of inLargeParts(request).body as AsyncIterable<Uint8Array>) read.push(part)
  expect(read).toEqual(parts)
})

test('a request without a body has none', () => {
  expect(inLargeParts(new Request('http://x/')).body).toBeNull()
})
