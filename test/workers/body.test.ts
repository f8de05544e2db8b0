import { Miniflare } from 'miniflare'
import { expect, onTestFinished, test } from 'vitest'
import { MAX_BODY_BYTES } from '../../src/runtime/services.ts'
import { eventOf } from '../support/services/builders.ts'
import { COMPATIBILITY, workerBundle } from '../support/workers/workerd.ts'

test('a body in any number of pieces is taken whole, up to the limit, with and without a declared length', async () => {
  const send = await sender()
  for (const [count, pad] of [
    [1, 0],
    [3, 30_000],
    [60, 40_000],
  ] as const) {
    const body = eventsOf(count, pad)
    expect(await send(body)).toEqual([200, expect.objectContaining({ inserted: count })])
    expect(await send(inPieces(body))).toEqual([200, expect.objectContaining({ skipped: count })])
  }

  const tooLarge = 'x'.repeat(MAX_BODY_BYTES + 1)
  const refused = [413, { detail: `The body is larger than ${MAX_BODY_BYTES} bytes.` }]
  expect(await send(tooLarge)).toEqual(refused)
  expect(await send(inPieces(tooLarge))).toEqual(refused)
  expect(await send('')).toEqual([422, expect.anything()])
  expect(await send(inPieces(''))).toEqual([422, expect.anything()])
  expect(await send(eventsOf(1, 0))).toEqual([200, expect.objectContaining({ skipped: 1 })])
})

function eventsOf(count: number, pad: number): string {
  const events = Array.from({ length: count }, (_, index) => ({
    ...eventOf({ release_id: 'rel_1', run_id: `run-${count}-${index}` }),
    labels: { é: 'x'.repeat(pad) },
  }))
  return JSON.stringify({ events })
}

/** Pieces of odd lengths, so that none ends where a part does. */
function inPieces(text: string): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text)
  let from = 0
  return new ReadableStream({
    pull: controller => {
      if (from >= bytes.length) return controller.close()
      controller.enqueue(bytes.subarray(from, from + PIECE_BYTES))
      from += PIECE_BYTES
    },
  })
}

const PIECE_BYTES = 7919

type Send = (body: string | ReadableStream<Uint8Array>) => Promise<[status: number, body: unknown]>

async function sender(): Promise<Send> {
  const miniflare = new Miniflare({
    ...COMPATIBILITY,
    modules: [{ type: 'ESModule', path: 'index.js', contents: await workerBundle() }],
    d1Databases: { DB: 'DB' },
    bindings: { SERVICE_LOCAL_API_TOKEN: 's3cret', SERVICE_CONFIG: '' },
    handleRuntimeStdio: () => {},
  })
  onTestFinished(() => miniflare.dispose())
  const { origin } = await miniflare.ready
  return async body => {
    const answer = await fetch(`${origin}/v1/events`, {
      method: 'POST',
      headers: { authorization: 'Bearer s3cret', 'content-type': 'application/json' },
      body,
      ...(typeof body === 'string' ? {} : { duplex: 'half' }),
    })
    return [answer.status, await answer.json()]
  }
}
