/** Values that a field takes, and values that it refuses. */
export interface Kind {
  readonly good: readonly unknown[]
  readonly bad: readonly unknown[]
  /** Refused by the model alone: JSON Schema can't say so. */
  readonly badForModel?: readonly unknown[]
}

export interface FieldRule extends Kind {
  readonly required: boolean
}

/** By path as `pathText` writes it, e.g. `usage.tools[0].tool_name`. */
export type FieldTable = Readonly<Record<string, FieldRule>>

const NOT_TEXT = [null, 5, true, ['a'], { a: 'a' }]
const UNKEEPABLE_TEXT = ['a\0b', '\uD800']

export const text: Kind = { good: ['', 'any text', '😀'], bad: NOT_TEXT, badForModel: UNKEEPABLE_TEXT }

export const nonEmptyText: Kind = { ...text, good: ['x', 'prompts/system.md'], bad: [...NOT_TEXT, ''] }

/** 1 to 512 bytes. */
export const identifier: Kind = {
  good: ['x', ' ', 'x'.repeat(512), 'é'.repeat(256), '😀'],
  bad: [...NOT_TEXT, '', 'x'.repeat(513)],
  badForModel: [...UNKEEPABLE_TEXT, 'é'.repeat(257), '😀'.repeat(129)],
}

/** 0 to 512 bytes. */
export const dimension: Kind = {
  good: [...identifier.good, ''],
  bad: identifier.bad.filter(value => value !== ''),
  badForModel: identifier.badForModel!,
}

export const timestamp: Kind = {
  good: ['2026-01-31T12:00:00Z', '2026-01-31T12:00:00+01:00', '2026-01-31T12:00:00', '1970-01-01T00:00:00Z'],
  bad: NOT_TEXT,
  badForModel: ['', 'yesterday', '2026-01-31', '2026-02-30T12:00:00Z', '1969-12-31T23:59:59Z'],
}

/** A date may be without a time where people write it by hand. */
export const dateOrTimestamp: Kind = {
  good: [...timestamp.good, '2026-01-31'],
  bad: NOT_TEXT,
  badForModel: ['', 'yesterday', '2026-02-30', '2026-1-31', '2026-02-30T12:00:00Z'],
}

/** A day of the calendar. */
export const day: Kind = {
  good: ['2026-01-31', '2030-12-31'],
  bad: [...NOT_TEXT, '', 'soon', '2026-1-31', '31.1.2026'],
  badForModel: ['2026-02-30', '2026-01-31T00:00:00Z'],
}

/** A JSON integer from 0 to 2^53 - 1; 10.0 is 10. */
export const count: Kind = {
  good: [0, 1, 10.0, Number.MAX_SAFE_INTEGER],
  bad: [-1, 1.5, '10', true, null, [1], 2 ** 53, 1e300],
  badForModel: [Number.NaN, Number.POSITIVE_INFINITY],
}

/** Tokens of a run, and its duration in ms. */
export const tokens: Kind = { ...count, good: [0, 1, 10.0, 1e12], bad: [...count.bad, 1e12 + 1] }
/** Tokens that are some of others. */
export const tokensOf = (all: number): Kind => ({
  ...count,
  good: [0, 1, 10.0, all],
  badForModel: [all + 1],
})
export const latency: Kind = { ...count, good: [0, 1, 10.0, 1e10], bad: [...count.bad, 1e10 + 1] }

export const sha256: Kind = {
  good: ['0'.repeat(64), 'f'.repeat(64)],
  bad: ['', 'F'.repeat(64), 'f'.repeat(63), `sha256:${'f'.repeat(64)}`, 7, null],
}

export const integer: Kind = { good: [0, 3, -1], bad: [1.5, '10', true, null] }

export const finiteNumber: Kind = {
  good: [0, -1, 0.7],
  bad: ['0.7', true, null, [1]],
  badForModel: [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
}

/** A number from 0 on. */
export const amount: Kind = {
  ...finiteNumber,
  good: [0, 0.00015, 1e-12, 250],
  bad: [...finiteNumber.bad, -1, -0.000001],
}

/** A number of minutes, hours or days, up to 30 days. */
export const watchTime: Kind = {
  good: ['1m', '2h', '720h', '30d'],
  bad: NOT_TEXT,
  badForModel: ['', '0h', '2', '2w', '1.5h', '31d', '721h', ' 2h'],
}

/** A number from 0 to 1. */
export const share: Kind = { ...amount, good: [0, 0.05, 1], bad: [...amount.bad, 1.0001] }

/** A fraction up to +200 %. */
export const increase: Kind = { ...amount, good: [0, 0.1, 2], badForModel: [2.1, 10, Number.NaN] }

export const boolean: Kind = { good: [true, false], bad: ['true', 0, 1, null] }

export const texts: Kind = { good: [[], ['a', 'b']], bad: ['a', { a: 'a' }, [1], [null], null] }

export const textByName: Kind = { good: [{}, { team: 'a', '0': 'b' }], bad: ['a', ['a'], [], { a: 1 }, null] }

/** Scores of a run. */
export const scoreByName: Kind = {
  good: [{}, { 'a-b_c.9': -1e6, f: 0.5 }],
  bad: ['a', [], [1], { a: 'x' }, { a: 2e6 }, { A: 1 }, { 'a/b': 1 }, { ['x'.repeat(65)]: 1 }],
}

/** Limits on scores, of runs or of a suite. */
export const limitByScore: Kind = {
  good: [{}, { f: 0.5, 'suite/f': 0 }],
  bad: ['a', [], [1], { a: 'x' }, { a: 2e6 }, { A: 1 }, { 'a/b/c': 1 }, { '/b': 1 }],
}

/** An object all of whose fields may be left out. */
export const object: Kind = { good: [{}], bad: ['a', 5, true, [], ['a'], null] }

/** An object with fields that it must have. */
export const structure: Kind = { good: [], bad: [...object.bad, {}] }

export function oneOf(...values: readonly string[]): Kind {
  return { good: values, bad: [...NOT_TEXT, '', ...values.map(value => `${value}x`)] }
}

export function orNull({ good, bad, ...rest }: Kind): Kind {
  return { ...rest, good: [...good, null], bad: bad.filter(value => value !== null) }
}

export const required = (kind: Kind): FieldRule => ({ ...kind, required: true })
export const optional = (kind: Kind): FieldRule => ({ ...kind, required: false })

/** A valid document with every field, and what the specification says of each field. */
export interface DocumentCase {
  readonly document: object
  readonly fields: FieldTable
}

export function prefixed(prefix: string, fields: FieldTable): FieldTable {
  return Object.fromEntries(Object.entries(fields).map(([path, rule]) => [prefix + path, rule]))
}
