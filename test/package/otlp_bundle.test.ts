import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { Miniflare } from 'miniflare'
import { build } from 'rolldown'
import { expect, onTestFinished, test } from 'vitest'
import { ROOT_PATH } from '../../src/runtime/root.ts'
import { COMPATIBILITY } from '../support/workers/workerd.ts'

/** A module with these lines, as it goes into the Worker. */
async function bundled(program: string): Promise<string> {
  const { output } = await build({
    input: 'program',
    platform: 'browser',
    write: false,
    output: { minify: true },
    plugins: [
      {
        name: 'program',
        resolveId: id => (id === 'program' ? id : null),
        load: id =>
          id === 'program' ? program.replaceAll('otlp/', `${ROOT_PATH}src/features/traces/`) : null,
      },
    ],
  })
  return output[0].code
}

test('the decoder adds less than 5.6 kB to the Worker, gzipped', async () => {
  const code = await bundled(
    `export * from 'otlp/protobuf.ts'; export { decodeJson, noJson } from 'otlp/body.ts'`,
  )
  expect(gzipSync(code, { level: 9 }).length).toBeLessThan(5600)
})

const WORKER = `
import { refusedAnswer } from 'otlp/answer.ts'
import { formatOf, readExport } from 'otlp/body.ts'
import { makeRuns } from 'otlp/receive.ts'

const release = {
  release_id: 'rel_1', agent_id: 'support-bot', version: '1.5.0', checksum: 'a', model: 'gemini-3-flash',
  pricing: { provider: 'google', pricing_version: 'v1' }, models: new Set(['gemini-3-flash']),
}
const memory = { recall: async () => ({ now: Date.now(), forgottenBefore: 0, kept: [] }), storedRuns: async () => [] }

export default {
  async fetch(request) {
    const format = formatOf(request.headers.get('content-type'))
    const body = { bytes: new Uint8Array(await request.arrayBuffer()), format, encoding: request.headers.get('x-encoding') }
    try {
      const options = { lookup: async () => [release], memory, nextTurn: async () => {}, environment: 'local', now: Date.now() }
      const { drafts } = await makeRuns(await readExport(body), options)
      return Response.json(drafts.map(({ parts }) => parts))
    } catch (error) {
      return new Response(refusedAnswer('json', error.detail).body, { status: error.status })
    }
  },
}
`

test('in workerd it reads and refuses as in Node', async () => {
  const worker = new Miniflare({
    modules: [{ type: 'ESModule', path: 'worker.mjs', contents: await bundled(WORKER) }],
    ...COMPATIBILITY,
  })
  onTestFinished(() => worker.dispose())
  const capture = readFileSync(join(ROOT_PATH, 'test/fixtures/otlp/google_adk.bin'))
  // Content-Encoding itself would be undone on the way.
  const headers = { 'content-type': 'application/x-protobuf', 'x-encoding': 'gzip' }
  const send = async (body: Buffer): Promise<[status: number, body: unknown]> => {
    const answer = await worker.dispatchFetch('http://worker.test/', { method: 'POST', headers, body })
    return [answer.status, await answer.json()]
  }
  const counts = {
    input_tokens: 300,
    cached_input_tokens: 700,
    cache_write_input_tokens: 0,
    output_tokens: 50,
  }
  expect(await send(gzipSync(capture))).toEqual([
    200,
    [[{ provider: 'google', model: 'gemini-3-flash', counts }]],
  ])
  expect(await send(capture)).toEqual([400, { message: 'The body is not valid gzip.' }])
  expect((await send(gzipSync(Buffer.alloc(100_000_000))))[0]).toBe(413)
})
