import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeJson, noJson } from '../../../src/features/traces/body.ts'
import { decodeProtobuf } from '../../../src/features/traces/protobuf.ts'
import { Malformed } from '../../../src/features/traces/spans.ts'
import { ROOT_PATH } from '../../../src/runtime/root.ts'
import { hexId, type TestResource, jsonExport, protobufExport } from '../../support/otlp/exports.ts'
import { decode, encode } from '../../support/otlp/schema.ts'
import { scaled } from '../../support/scale.ts'

const FIXTURES = join(ROOT_PATH, 'test/fixtures/otlp')
const captures = readdirSync(FIXTURES)
const MANY = 100_000

/** The oracle's reading of an export, with ids as OTLP has them in JSON. */
function byOracle(bytes: Uint8Array): string {
  return JSON.stringify(decode('ExportTraceServiceRequest', bytes), (name, value: unknown) =>
    /^(?:traceId|spanId|parentSpanId)$/.test(name)
      ? Buffer.from(value as string, 'base64').toString('hex')
      : value,
  )
}

function decodeText(text: string, most: number) {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw noJson(error)
  }
  return decodeJson(value, most)
}

/** What protobuf's own JSON needs: ids in base64. */
function toOracle(json: string): Uint8Array<ArrayBuffer> {
  return encode(
    'ExportTraceServiceRequest',
    JSON.parse(json, (name, value: unknown) =>
      /^(?:traceId|spanId|parentSpanId)$/.test(name)
        ? Buffer.from(value as string, 'hex').toString('base64')
        : value,
    ),
  )
}

describe('real exports', () => {
  test.each(captures.filter(name => name.endsWith('.bin')))('%s reads as the oracle reads it', name => {
    const bytes = readFileSync(join(FIXTURES, name))
    const decoded = decodeProtobuf(bytes, MANY)
    expect(decoded.spans.length).toBeGreaterThan(0)
    expect(decoded.broken).toEqual([])
    expect(decodeText(byOracle(bytes), MANY)).toEqual(decoded)
  })

  test.each(captures.filter(name => name.endsWith('.json')))('%s reads the same in protobuf', name => {
    const text = readFileSync(join(FIXTURES, name), 'utf8')
    const decoded = decodeText(text, MANY)
    expect(decoded.spans.length).toBeGreaterThan(0)
    expect(decoded.broken).toEqual([])
    expect(decodeProtobuf(toOracle(text), MANY)).toEqual(decoded)
  })

  // Names of called tools are kept; what they were given and answered is not.
  test.each(captures)('%s leaves nothing behind of what was said', name => {
    const bytes = readFileSync(join(FIXTURES, name))
    const decoded = name.endsWith('.bin') ? decodeProtobuf(bytes, MANY) : decodeText(bytes.toString(), MANY)
    expect(JSON.stringify(decoded)).not.toMatch(/Where|on its way|sent|4711/)
  })
})

test('most of the real exports hold what was said', () => {
  const said = captures.filter(name => /Where|on its way/.test(readFileSync(join(FIXTURES, name), 'latin1')))
  expect(said.length).toBeGreaterThan(captures.length / 2)
})

const kept = fc.constantFrom('gen_ai.agent.name', 'gen_ai.usage.input_tokens', 'release_governance.task_id')
const attributes = fc.dictionary(
  fc.oneof(kept, fc.string({ maxLength: 8 })),
  fc.oneof(
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.maxSafeInteger(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.array(fc.string(), { maxLength: 3 }),
  ),
  { maxKeys: 4 },
)
const time = fc.integer({ min: 1000, max: 4_000_000_000_000 })
const resources: fc.Arbitrary<TestResource[]> = fc.array(
  fc.record({
    attributes,
    spans: fc.array(
      fc.record(
        {
          id: fc.nat(1000),
          trace: fc.nat(3),
          parent: fc.nat(1000),
          isParentRemote: fc.boolean(),
          startMs: time,
          endMs: time,
          failed: fc.boolean(),
          exception: fc.string({ maxLength: 9 }),
          attributes,
        },
        { requiredKeys: ['id'] },
      ),
      { maxLength: 4 },
    ),
  }),
  { maxLength: 3 },
)

describe('whatever spans', () => {
  test('both encodings read the same', () => {
    fc.assert(
      fc.property(resources, given => {
        expect(decodeProtobuf(protobufExport(...given), MANY)).toEqual(decodeText(jsonExport(...given), MANY))
      }),
    )
  })

  test('texts that differ only in the middle, are empty or long, are told apart', () => {
    const spans = ['a-1-b', 'a-2-b', '', 'é', 'x'.repeat(200), 'a-1-b'].map((text, index) => ({
      id: index + 1,
      attributes: { 'session.id': text },
    }))
    const read = decodeProtobuf(protobufExport({ spans }), MANY).spans
    expect(read.map(span => span.attributes)).toEqual(spans.map(span => span.attributes))
    expect(read.map(({ spanId }) => spanId)).toEqual(spans.map(({ id }) => hexId(id, 16)))
  })

  test('a body that is cut off is refused, unless what is left is whole', () => {
    const bytes = readFileSync(join(FIXTURES, 'microsoft_agent_framework.bin'))
    for (let length = 0; length <= bytes.length; length++) {
      const cut = bytes.subarray(0, length)
      expect([length, accepts(() => decodeProtobuf(cut, MANY))]).toEqual([length, oracleAccepts(cut)])
    }
    const text = readFileSync(join(FIXTURES, 'openllmetry_openai.json'), 'utf8')
    for (let length = 0; length < text.length; length++) {
      expect(() => decodeText(text.slice(0, length), MANY)).toThrow(Malformed)
    }
  })

  test('a body of damaged bytes is read or refused, and nothing else', () => {
    const bytes = readFileSync(join(FIXTURES, 'google_adk.bin'))
    const damage = fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(damage, places => {
        const damaged = Uint8Array.from(bytes)
        for (const [place, byte] of places) damaged[place] = byte
        expectReadOrRefused(() => decodeProtobuf(damaged, MANY))
      }),
      { numRuns: scaled(400, 2000) },
    )
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), noise => {
        expectReadOrRefused(() => decodeProtobuf(noise, MANY))
      }),
      { numRuns: scaled(400, 2000) },
    )
  })

  test('any JSON is read or refused, and nothing else', () => {
    const span = fc.dictionary(
      fc.constantFrom('traceId', 'spanId', 'attributes', 'status', 'events', 'flags', 'endTimeUnixNano'),
      fc.jsonValue(),
    )
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), span), value => {
        expectReadOrRefused(() => decodeText(JSON.stringify(value), MANY))
        expectReadOrRefused(() =>
          decodeText(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [value] }] }] }), MANY),
        )
      }),
      { numRuns: scaled(400, 2000) },
    )
  })
})

/** Whether it reads; anything thrown but Malformed fails the test. */
function accepts(read: () => unknown): boolean {
  try {
    read()
    return true
  } catch (error) {
    if (!(error instanceof Malformed)) throw error
    return false
  }
}

function expectReadOrRefused(read: () => unknown): void {
  expect(accepts(read)).toBeTypeOf('boolean')
}

function oracleAccepts(bytes: Uint8Array): boolean {
  try {
    byOracle(bytes)
    return true
  } catch {
    return false
  }
}

describe('in JSON', () => {
  const whole = {
    traceId: '1'.repeat(32),
    spanId: '2'.repeat(16),
    startTimeUnixNano: '1000000',
    endTimeUnixNano: 2e6,
  }
  const read = (span: object) =>
    decodeText(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }), MANY)

  test('numbers are texts or numbers, ids are hex of either case, and what is unknown is ignored', () => {
    const { spans } = read({ ...whole, traceId: 'AB'.repeat(16), parentSpanId: '0'.repeat(16), unknown: {} })
    expect(spans).toMatchObject([
      { traceId: 'ab'.repeat(16), parentId: undefined, endMs: 2, latencyMs: 1, hasFailed: false },
    ])
  })

  test.each([
    ['ids in base64', { traceId: 'EjRWeBI0VngSNFZ4EjRWeA==' }, 'in JSON as hex'],
    ['a parent in base64', { parentSpanId: 'EjRWeBI0Vng=' }, 'in JSON as hex'],
    ['an id of zeros', { spanId: '0'.repeat(16) }, 'in JSON as hex'],
    ['an id of numbers', { spanId: 2 }, 'in JSON as hex'],
    ['no end', { endTimeUnixNano: undefined }, 'TimeUnixNano'],
    ['an end before the start', { endTimeUnixNano: '999999' }, 'TimeUnixNano'],
    ['an end that is no number', { endTimeUnixNano: 'soon' }, 'TimeUnixNano'],
    ['an end behind 64 bits', { endTimeUnixNano: '99999999999999999999' }, 'TimeUnixNano'],
    ['an end behind all numbers', { endTimeUnixNano: 1e300 }, 'TimeUnixNano'],
    ['a negative start', { startTimeUnixNano: -5 }, 'TimeUnixNano'],
  ])('%s is a broken span', (_name, change, problem) => {
    const { spans, broken } = read({ ...whole, ...change })
    expect([spans, broken]).toEqual([[], [expect.stringContaining(problem)]])
  })

  test.each([
    ['', 'not valid JSON'],
    ['[]', 'the body must be an object'],
    ['null', 'the body must be an object'],
    ['{"resourceSpans":{}}', 'resourceSpans must be a list'],
    ['{"resourceSpans":[1]}', 'resourceSpans must be an object, or contain objects'],
    ['{"resourceSpans":[{"scopeSpans":[{"spans":[{"attributes":[[]]}]}]}]}', 'attributes must be an object'],
    ['{"resourceSpans":[{"scopeSpans":[{"spans":[{"status":[]}]}]}]}', 'status must be an object'],
  ])('%s is refused', (text, problem) => {
    expect(() => decodeText(text, MANY)).toThrow(problem)
  })
})

describe('in protobuf', () => {
  test.each([
    ['field 0', [0x00, 0x01]],
    ['a group', [0x0b, 0x0c]],
    ['a number of eleven bytes', [0x10, ...Array.from({ length: 10 }, () => 0xff), 0x01]],
    ['a length behind the end', [0x0a, 0x05, 0x00]],
    ['a length of 2^63', [0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]],
    ['resource spans that are a number', [0x08, 0x01]],
    ['a text of bytes that are no UTF-8', [0x0a, 0x07, 0x0a, 0x05, 0x0a, 0x03, 0x0a, 0x01, 0xff]],
  ])('%s is refused', (_name, bytes) => {
    expect(() => decodeProtobuf(Uint8Array.from(bytes), MANY)).toThrow(Malformed)
  })

  test('values nested without an end are skipped by their length', () => {
    let value: Uint8Array = Uint8Array.of(0x10, 0x01)
    for (let depth = 0; depth < 5000; depth++) value = lengthFirst(0x2a, lengthFirst(0x0a, value))
    const key = lengthFirst(0x0a, new TextEncoder().encode('gen_ai.usage.input_tokens'))
    const span = lengthFirst(0x12, lengthFirst(0x4a, Buffer.concat([key, lengthFirst(0x12, value)])))
    const { broken } = decodeProtobuf(lengthFirst(0x0a, lengthFirst(0x12, span)), MANY)
    expect(broken).toHaveLength(1)
  })
})

function lengthFirst(tag: number, bytes: Uint8Array): Uint8Array {
  const head = [tag]
  let left = bytes.length
  for (; left > 127; left = Math.floor(left / 128)) head.push((left % 128) | 128)
  return Buffer.concat([Uint8Array.from([...head, left]), bytes])
}

test('more spans than may be are refused', () => {
  const spans = [1, 2, 3].map(id => ({ id }))
  expect(() => decodeText(jsonExport({ spans }), 2)).toThrow('more than 2 spans')
  expect(() => decodeProtobuf(protobufExport({ spans }), 2)).toThrow('more than 2 spans')
  expect(decodeProtobuf(protobufExport({ spans }), 3).spans).toHaveLength(3)
})

describe('what takes two bytes each is counted before it is read', () => {
  const many = (tag: number, count: number): Uint8Array =>
    Uint8Array.from({ length: 2 * count }, (_, at) => (at % 2 === 0 ? tag : 0))

  test.each([
    ['resources', many(0x0a, 9)],
    ['scopes of a resource', lengthFirst(0x0a, many(0x12, 8))],
  ])('%s', (_what, bytes) => {
    expect(() => decodeProtobuf(bytes, 4)).toThrow('more than 8 resources and scopes')
  })

  test('and in JSON', () => {
    const resourceSpans = [{ scopeSpans: Array.from({ length: 8 }, () => ({})) }]
    expect(() => decodeJson({ resourceSpans }, 4)).toThrow('more than 8 resources and scopes')
  })

  test('fields of any number', () => {
    expect(() => decodeProtobuf(many(0x1a, 4_000_001), MANY)).toThrow('more than 4000000 fields')
    expect(decodeProtobuf(many(0x1a, 3_999_999), MANY).spans).toEqual([])
  })
})
