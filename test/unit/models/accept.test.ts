import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { check } from '../../../src/models/check.ts'
import { acceptDocument, loadModel } from '../../../src/models/index.ts'
import { ACCEPTED } from '../../../tools/acceptors.ts'
import { pricingCatalog, runEvent, workspaceConfig } from '../support/arbitraries.ts'
import { DOCUMENTS } from '../support/documents.ts'
import * as kind from '../support/field_kinds.ts'
import { type DocumentCase, optional, orNull, required } from '../support/field_kinds.ts'
import { without, withValue } from '../support/paths.ts'

type Name = keyof typeof ACCEPTED

/** Any valid document; the others have their one document with every value that its table calls good. */
const VALID: { readonly [N in Name]?: fc.Arbitrary<object> } = {
  PricingCatalog: pricingCatalog,
  RunEvent: runEvent,
  WorkspaceConfig: workspaceConfig,
}

const CASES: Readonly<Record<Name, DocumentCase>> = {
  ...DOCUMENTS,
  BundleFiles: {
    document: { notes: { sha256: 'a'.repeat(64), bytes: 5, text: 'hello' } },
    fields: {
      'notes.sha256': required({
        good: ['b'.repeat(64)],
        bad: ['', 'b'.repeat(63), 'B'.repeat(64), 5, null],
      }),
      'notes.bytes': required(kind.count),
      'notes.text': optional(orNull(kind.text)),
    },
  },
}

describe.for(Object.keys(ACCEPTED) as Name[])('%s', async name => {
  const { document, fields } = CASES[name]
  const { model } = await loadModel(name)
  const valid = VALID[name] ?? fc.constant(document)
  const accept = (given: unknown) => acceptDocument(name, given)

  test('a valid document is accepted by both, with an equal value', async () => {
    await fc.assert(
      fc.asyncProperty(valid, async given => {
        const accepted = await accept(given)
        expect(accepted).toBeDefined()
        expect(check(model, given)).toEqual({ ok: true, value: accepted })
      }),
      { numRuns: 500 },
    )
  })

  test('whatever is accepted quickly is accepted by the model, with an equal value', async () => {
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
    await fc.assert(
      fc.asyncProperty(places, odd, async (place, value) => {
        const changed = withValue(document, place, value)
        const quickly = await accept(changed)
        if (quickly === undefined) return
        accepted += 1
        expect(check(model, changed)).toEqual({ ok: true, value: quickly })
      }),
      { numRuns: 3000 },
    )
    expect(accepted).toBeGreaterThan(20)
  })

  const rules = Object.entries(fields).map(([path, rule]) => ({ path, ...rule }))

  test.for(rules)(
    '$path: what the model refuses is never accepted',
    async ({ path, bad, badForModel = [] }) => {
      for (const value of [...bad, ...badForModel]) {
        expect(await accept(withValue(document, path, value)), JSON.stringify(value)).toBeUndefined()
      }
    },
  )

  test.for(rules)('$path: what is accepted has the value that the model gives it', async ({ path, good }) => {
    for (const value of good) {
      const given = withValue(document, path, value)
      const [accepted, checked] = [await accept(given), check(model, given)]
      expect(accepted === undefined ? checked : { ok: true, value: accepted }).toEqual(checked)
    }
  })

  test.for(rules)('$path may be left out where the model says so', async ({ path }) => {
    const given = without(document, path)
    expect((await accept(given)) !== undefined).toBe(check(model, given).ok)
  })

  test('what is not an object is not accepted', async () => {
    for (const value of ['', 'v1', 5, true, null, [], [document]]) expect(await accept(value)).toBeUndefined()
  })

  test('text that no database keeps is not accepted, wherever it is', async () => {
    for (const text of ['a\0b', '\uD800']) {
      expect(await accept({ ...document, [text]: 1 })).toBeUndefined()
      expect(await accept({ ...document, note: [text] })).toBeUndefined()
    }
  })
})
