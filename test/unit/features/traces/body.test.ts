import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { ServiceError } from '../../../../src/base/errors.ts'
import { type ExportBody, LIMITS, formatOf, readExport } from '../../../../src/features/traces/body.ts'
import { ROOT_PATH } from '../../../../src/runtime/root.ts'

const capture = Uint8Array.from(readFileSync(join(ROOT_PATH, 'test/fixtures/otlp/google_adk.bin')))
const MB = 1024 * 1024

async function refusalOf(body: ExportBody): Promise<readonly [status: number, detail: unknown]> {
  try {
    await readExport(body)
    return [200, '']
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return [error.status, error.detail]
  }
}

test.each([
  ['application/x-protobuf', 'protobuf'],
  ['application/json', 'json'],
  ['Application/JSON; charset=utf-8', 'json'],
])('%s is %s', (contentType, format) => {
  expect(formatOf(contentType)).toBe(format)
})

test.each([null, '', 'text/plain', 'application/jsonl', 'application/grpc'])('%s is refused', contentType => {
  expect(() => formatOf(contentType)).toThrow('application/x-protobuf or application/json')
})

describe('compression', () => {
  test.each([null, '', 'identity', 'gzip', 'GZIP'])('%s', async encoding => {
    const bytes = encoding?.toLowerCase() === 'gzip' ? Uint8Array.from(gzipSync(capture)) : capture
    expect((await readExport({ bytes, format: 'protobuf', encoding })).spans).toHaveLength(3)
  })

  test.each(['br', 'deflate', 'gzip, gzip', 'zstd'])('%s is refused', async encoding => {
    expect((await refusalOf({ bytes: capture, format: 'protobuf', encoding }))[0]).toBe(415)
  })

  test('what is no gzip, or half of one, is refused', async () => {
    const zipped = Uint8Array.from(gzipSync(capture))
    for (const bytes of [capture, zipped.slice(0, -9), zipped.slice(0, 20), new Uint8Array()]) {
      expect(await refusalOf({ bytes, format: 'protobuf', encoding: 'gzip' })).toEqual([
        400,
        'The body is not valid gzip.',
      ])
    }
  })

  test('a bomb is given up after the limit, not behind it', async () => {
    const bytes = Uint8Array.from(gzipSync(Buffer.alloc(300 * MB), { level: 9 }))
    expect(bytes.length).toBeLessThan(MB)
    const before = process.memoryUsage().rss
    // Whoever reads on to its end finds that it has none.
    const cut = bytes.subarray(0, bytes.length / 2)
    expect((await refusalOf({ bytes: cut, format: 'protobuf', encoding: 'gzip' }))[0]).toBe(413)
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * MB)
  })
})

describe('a body', () => {
  const json = (text: string): ExportBody => ({
    bytes: new TextEncoder().encode(text),
    format: 'json',
    encoding: null,
  })

  test('of nothing is an export of nothing in protobuf, and no JSON', async () => {
    expect(await refusalOf({ bytes: new Uint8Array(), format: 'protobuf', encoding: null })).toEqual([
      200,
      '',
    ])
    expect((await refusalOf(json('')))[0]).toBe(400)
    expect(await refusalOf(json('{}'))).toEqual([200, ''])
  })

  test('that is too large is refused', async () => {
    const bytes = new Uint8Array(LIMITS.maxBytes + 1)
    const [status, detail] = await refusalOf({ bytes, format: 'protobuf', encoding: null })
    expect([status, detail]).toEqual([413, 'The spans are larger than 16777216 bytes; send smaller batches.'])
  })

  test('of values nested without an end is refused before it is parsed', async () => {
    const value = '{"arrayValue":{"values":['.repeat(100_000)
    const text = `{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":${value}`
    expect(await refusalOf(json(text))).toEqual([400, expect.stringContaining('64 levels deep')])
  })

  test('that is something else is refused with what is wrong', async () => {
    expect(await refusalOf({ bytes: capture.slice(0, 40), format: 'protobuf', encoding: null })).toEqual([
      400,
      'This is not an OTLP export of traces: the protobuf message is cut off.',
    ])
    expect(await refusalOf({ bytes: capture, format: 'json', encoding: null })).toEqual([
      400,
      'This is not an OTLP export of traces: it is not valid UTF-8.',
    ])
    expect((await refusalOf(json('{"resourceSpans": 1}')))[1]).toContain('resourceSpans must be a list')
  })
})
