import { describe, expect, test } from 'vitest'
import { type Source, readPart } from '../../../src/http/endpoint/read_input.ts'
import type { InputShapes, Plain } from '../../../src/models/shape.ts'

const HUNDRED = {
  is: 'number',
  limits: [
    ['divisor', 1],
    ['max', 100],
    ['min', 1],
  ],
} as const
const FLAG = { oneOf: [false, true] } as const
const SHAPE: Plain = {
  is: 'object',
  required: { name: { is: 'string', limits: [['minLength', 1]] } },
  optional: {
    limit: HUNDRED,
    deep: FLAG,
    only: { is: 'string' },
    filled: { is: 'string', limits: [['minLength', 1]] },
    state: { oneOf: ['open', 'closed', 'gone'] },
    sent: { kinds: { string: { is: 'string' }, null: { oneOf: [null] } } },
    tags: { is: 'array', limits: [['maxLength', 1]], items: { is: 'string' } },
  },
  others: 'reject',
  defaults: { limit: 10, deep: false },
}
const SHAPES: InputShapes = { query: SHAPE, body: SHAPE }

const read = (source: Source, raw: Readonly<Record<string, unknown>>) => readPart(SHAPES, source, raw)

describe('values', () => {
  test.for([
    ['a number of a query', 'query', { limit: '7' }, { limit: 7 }],
    ['a flag of a query', 'query', { deep: '1' }, { deep: true }],
    ['blanks of a query are left out', 'query', { only: '', limit: '' }, {}],
    ['null of a body is left out', 'body', { only: null }, {}],
    ['null where it says something', 'body', { sent: null }, { sent: null }],
    ['a number of a body', 'body', { limit: 7, deep: true }, { limit: 7, deep: true }],
  ] as const)('%s', async ([, source, raw, wanted]) => {
    const part = await read(source, { name: 'a', ...raw })
    expect(part).toEqual({ values: { name: 'a', limit: 10, deep: false, ...wanted }, problems: [] })
  })

  test('a part that an endpoint does not have is empty', async () => {
    expect(await read('path', { a: 'b' })).toEqual({ values: {}, problems: [] })
  })
})

describe('problems', () => {
  test.for([
    ['query', { name: undefined }, 'name', 'is required', 'missing'],
    ['body', { name: 5 }, 'name', 'must be a string', 'string_type'],
    ['query', { name: '' }, 'name', 'must not be empty', 'too_short'],
    ['query', { filled: '' }, 'filled', 'must not be empty', 'too_short'],
    ['query', { limit: 'ten' }, 'limit', 'must be an integer', 'int_parsing'],
    ['body', { limit: 1.5 }, 'limit', 'must be an integer', 'int_parsing'],
    ['body', { limit: '7' }, 'limit', 'must be an integer', 'int_parsing'],
    ['query', { limit: '0' }, 'limit', 'must be at least 1', 'greater_than_equal'],
    ['query', { limit: `1${'0'.repeat(400)}` }, 'limit', 'must be at most 100', 'less_than_equal'],
    ['query', { deep: 'yes' }, 'deep', 'must be true or false', 'bool_parsing'],
    ['body', { deep: null }, 'deep', 'must be true or false', 'bool_parsing'],
    ['query', { state: 'shut' }, 'state', 'must be "open", "closed" or "gone"', 'enum'],
    ['body', { tags: 'a' }, 'tags', 'must be an array', 'list_type'],
    ['body', { tags: ['a', 'b'] }, 'tags', 'must be at most length 1', 'too_long'],
    ['query', { only: 'a\0' }, 'only', 'must not contain a NUL character', 'text'],
  ] as const)('of a %s: %o', async ([source, raw, field, msg, type]) => {
    const { problems } = await read(source, { name: 'a', ...raw })
    expect(problems).toEqual([{ loc: [source, field], msg, type }])
  })

  test('a field that the request does not have is named with those that it has', async () => {
    const { problems } = await read('body', { name: 'a', lmit: 5 })
    const msg = 'is not a field of this request; it has name, limit, deep, only, filled, state, sent, tags'
    expect(problems).toEqual([{ loc: ['body', 'lmit'], msg, type: 'unknown_field' }])
  })
})
