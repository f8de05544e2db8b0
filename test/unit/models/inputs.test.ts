import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { check } from '../../../src/models/all/check.ts'
import type { Plain, Shape } from '../../../src/models/shape.ts'
import { INPUTS } from '../../../src/models/shapes/inputs.ts'
import { loadInputs } from '../../../tools/models.ts'
import { scaled } from '../../support/scale.ts'
import { checkByArktype } from '../support/arktype_check.ts'

const TEXTS = ['', 'a', ' a', 'a\u200B', '7d', '5%', 'https://a.test/', '2026-01-31', '2026-01-31T12:00:00Z']
const LONG = ['x'.repeat(513), 'é'.repeat(300), 'x'.repeat(16_385), 'a'.repeat(64)]
const NUMBERS = [0, 1, 20, -1, 1.5, 501, 2 ** 53]
const VALUES: readonly unknown[] = [...TEXTS, ...LONG, ...NUMBERS, true, false, null, [], ['a'], [1], {}]

/** Requests of a shape, right and wrong: what it lists is tried too. */
function given({ required = {}, optional = {} }: Plain): fc.Arbitrary<unknown> {
  const fields = Object.entries({ ...required, ...optional, unknown_field: {} })
  const values = fields.map(
    ([name, shape]) => [name, fc.constantFrom(...VALUES, ...listedIn(shape))] as const,
  )
  return fc.record(Object.fromEntries(values), { requiredKeys: [] })
}

function listedIn(shape: Shape): readonly unknown[] {
  if ('oneOf' in shape) return shape.oneOf
  const { items } = shape as Plain
  return items === undefined ? [] : listedIn(items).flatMap(value => [[value], [value, value]])
}

describe.for(Object.entries(await loadInputs()))('%s', ([name, { parts }]) => {
  test.for(Object.entries(parts))('the shape of its %s says what the model says', ([part, model]) => {
    const shape = INPUTS[name]![part as keyof typeof parts]!
    fc.assert(
      fc.property(given(shape), value => {
        expect(check(shape, value)).toEqual(checkByArktype(model, value))
      }),
      { numRuns: scaled(40, 500) },
    )
  })
})

test.for([
  ['TokensCreate', 'expires', '1w', 'a number and d, h or m, such as 90d'],
  ['TokensRotate', 'overlap', '1w', 'a number and d, h or m, such as 24h, or 0d for none'],
  ['Diff', 'until', '2026-11-27', 'an ISO-8601 date and time, such as 2026-11-27T12:00:00Z'],
  ['ReleasesRegister', 'checksum', 'A1', 'a SHA-256 as 64 lowercase hex characters'],
] as const)('%s says in words what form %s has', ([name, field, wrong, words]) => {
  const checked = check(INPUTS[name]!.body!, { [field]: wrong })
  const message = `must be ${words} (was "${wrong}")`
  expect(checked).toMatchObject({
    ok: false,
    problems: expect.arrayContaining([{ path: [field], message, type: 'pattern' }]) as unknown,
  })
})
