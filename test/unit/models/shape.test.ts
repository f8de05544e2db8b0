import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isEvent } from '../../../src/models/shapes/is_event.ts'
import { type CheckedName, SHAPES, checkDocument } from '../../../src/models/all/check.ts'
import { loadModel } from '../../../tools/models.ts'
import { fits } from '../../../src/models/shape.ts'
import { RunEvent as event } from '../../../src/models/shapes/run_event.ts'
import { check } from '../support/check.ts'
import { pricingCatalog, runEvent, workspaceConfig } from '../support/arbitraries.ts'
import { DOCUMENTS } from '../support/documents.ts'
import { edited, edits, json } from '../support/edits.ts'
import { scaled } from '../../support/scale.ts'

const CASES: Readonly<Record<CheckedName, unknown>> = {
  ...Object.fromEntries(Object.entries(DOCUMENTS).map(([name, { document }]) => [name, document])),
  BundleFiles: { notes: { sha256: 'a'.repeat(64), bytes: 5, text: 'hello' } },
  Capabilities: {
    tools: [
      {
        name: 'send_mail',
        version: '2',
        schema_sha256: 'a'.repeat(64),
        effects: ['sends'],
        scopes: ['mail.send'],
      },
    ],
    mcp_servers: [{ name: 'docs', version: null, tools: [{ name: 'find' }] }],
    agents: [{ agent_id: 'researcher', version: '1' }],
    models: [{ model: 'm2', provider: 'acme' }],
  },
  CaseTries: [{ id: 'a', epoch: 2, scores: { f: 0.5 }, passed: true, tags: ['x'], trace_id: null }],
  ScoreCases: [{ pass_rate: 1, faithfulness: 0.92 }, {}],
} as never

/** Any valid document, where that is more than the one of the table. */
const VALID: { readonly [N in CheckedName]?: fc.Arbitrary<unknown> } = {
  PricingCatalog: pricingCatalog,
  RunEvent: runEvent,
  WorkspaceConfig: workspaceConfig,
}

/** `check` of ../support holds what the shape says to what arktype says: the value with its defaults, or each fault. */
describe.for(Object.keys(SHAPES) as CheckedName[])('%s', async name => {
  const model = await loadModel(name)
  const document = fc.oneof(fc.constant(CASES[name]), VALID[name] ?? fc.constant(CASES[name]))

  test('a valid document is taken with its defaults', () => {
    fc.assert(
      fc.property(document, given => {
        expect(check(model, given).ok).toBe(true)
      }),
    )
  })

  test('whatever is wrong with a document is said in the words of arktype', () => {
    const seen = { taken: 0, refused: 0 }
    fc.assert(
      fc.property(document, edits, (given, changes) => {
        const changed = edited(given, changes)
        const { ok } = check(model, changed)
        seen[ok ? 'taken' : 'refused'] += 1
        if (name === 'RunEvent') expect(isEvent(changed)).toBe(fits(event, changed))
      }),
      { numRuns: scaled(250, 1000) },
    )
    expect(seen.taken).toBeGreaterThan(scaled(10, 50))
    expect(seen.refused).toBeGreaterThan(scaled(10, 50))
  })

  test('so it is of what is no document at all', () => {
    fc.assert(
      fc.property(json, given => {
        expect(check(model, given)).toHaveProperty('ok')
      }),
    )
  })
})

test.for(['constructor', 'toString', '__proto__'])('the field %s is unknown, as others are', async name => {
  const given = JSON.parse(`{ "max_error_rate": 0.1, "${name}": 1 }`) as object
  const problem = { path: [name], message: 'is not a known field', type: 'value' }
  expect(await checkDocument('Policy', given)).toEqual({ ok: false, problems: [problem] })
})
