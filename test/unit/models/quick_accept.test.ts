import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { PricingCatalog } from '../../../src/models/documents/catalog.ts'
import { check } from '../../../src/models/check.ts'
import type { AnyModel } from '../../../src/models/docs.ts'
import { WorkspaceConfig } from '../../../src/models/documents/workspace.ts'
import { quickCatalog, quickWorkspace } from '../../../src/models/quick_accept.ts'
import { pricingCatalog, workspaceConfig } from '../support/arbitraries.ts'
import { DOCUMENTS } from '../support/documents.ts'
import { without, withValue } from '../support/paths.ts'

interface Pair {
  readonly name: 'WorkspaceConfig' | 'PricingCatalog'
  readonly quick: (document: unknown) => object | undefined
  readonly model: AnyModel
  readonly valid: fc.Arbitrary<object>
}

const PAIRS: readonly Pair[] = [
  { name: 'WorkspaceConfig', quick: quickWorkspace, model: WorkspaceConfig, valid: workspaceConfig },
  { name: 'PricingCatalog', quick: quickCatalog, model: PricingCatalog, valid: pricingCatalog },
]

describe.for(PAIRS)('$name', ({ name, quick, model, valid }) => {
  const { document, fields } = DOCUMENTS[name]

  test('a valid document is accepted by both, with an equal value', () => {
    fc.assert(
      fc.property(valid, given => {
        const accepted = quick(given)
        expect(accepted).toBeDefined()
        expect(check(model, given)).toEqual({ ok: true, value: accepted })
      }),
      { numRuns: 500 },
    )
  })

  test('whatever is accepted quickly is accepted by the model, with an equal value', () => {
    const odd = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.constantFrom<unknown>(
        -1,
        1.5,
        2 ** 53,
        Number.POSITIVE_INFINITY,
        Number.NaN,
        '',
        'a\0',
        '\uD800',
        'v2',
        [],
        {},
      ),
      fc.string({ unit: 'binary', minLength: 165, maxLength: 175 }),
    )
    const places = fc.constantFrom(...Object.keys(fields), 'unknown', 'a\0b')
    let accepted = 0
    fc.assert(
      fc.property(places, odd, (place, value) => {
        const changed = withValue(document, place, value)
        const quickly = quick(changed)
        if (quickly === undefined) return
        accepted += 1
        expect(check(model, changed)).toEqual({ ok: true, value: quickly })
      }),
      { numRuns: 3000 },
    )
    expect(accepted).toBeGreaterThan(50)
  })

  const rules = Object.entries(fields).map(([path, rule]) => ({ path, ...rule }))

  test.for(rules)('$path: what the model refuses is never accepted', ({ path, bad, badForModel = [] }) => {
    const changed = [...bad, ...badForModel].map(value => withValue(document, path, value))
    expect(changed.filter(given => quick(given) !== undefined)).toEqual([])
  })

  test.for(rules)('$path: what is accepted has the value that the model gives it', ({ path, good }) => {
    const accepted = good
      .map(value => withValue(document, path, value))
      .filter(given => quick(given) !== undefined)
    expect(accepted.map(given => check(model, given))).toEqual(
      accepted.map(given => ({ ok: true, value: quick(given) })),
    )
  })

  test.for(rules)('$path may be left out where the model says so', ({ path, required }) => {
    expect(quick(without(document, path)) === undefined).toBe(required)
  })

  test('what is not an object is not accepted', () => {
    for (const value of ['', 'v1', 5, true, [], [document]]) expect(quick(value)).toBeUndefined()
  })

  test('text that no database keeps is not accepted, wherever it is', () => {
    for (const text of ['a\0b', '\uD800']) {
      expect(quick({ ...document, [text]: 1 })).toBeUndefined()
      expect(quick({ ...document, note: [text] })).toBeUndefined()
    }
  })
})

test('an empty service.yaml, which reads as null, is the default workspace', () => {
  expect(check(WorkspaceConfig, {})).toEqual({ ok: true, value: quickWorkspace(null) })
  expect(quickWorkspace(undefined)).toEqual(quickWorkspace({}))
})

test('a catalog is told from other documents by its kind', () => {
  expect(quickCatalog(null)).toBeUndefined()
  expect(quickCatalog({ ...DOCUMENTS.PricingCatalog.document, kind: 'Release' })).toBeUndefined()
})
