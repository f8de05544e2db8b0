import { describe, expect, test } from 'vitest'
import { check } from '../support/check.ts'
import { pathText } from '../../../src/models/checks.ts'
import { loadModel } from '../../../tools/models.ts'
import { jsonSchemaOf } from '../../../src/models/schemas.ts'
import { propertiesOf } from '../support/properties.ts'
import { DOCUMENTS, MODEL_NAMES } from '../support/documents.ts'
import { valueAt, without, withValue } from '../support/paths.ts'

describe.for(MODEL_NAMES)('%s', async name => {
  const model = await loadModel(name)
  const { document, fields } = DOCUMENTS[name]
  const rules = Object.entries(fields).map(([path, rule]) => ({ path, ...rule }))

  test('a document with every field is taken as it is', () => {
    expect(check(model, document)).toEqual({ ok: true, value: document })
  })

  test.for(rules.filter(rule => rule.required))('$path is required', ({ path }) => {
    expect(check(model, without(document, path))).toEqual({
      ok: false,
      problems: [{ path: expect.anything(), message: 'is required', type: 'missing' }],
    })
    expect(problemPaths(without(document, path))).toEqual([path])
  })

  test.for(rules.filter(rule => !rule.required))('$path may be left out', ({ path }) => {
    expect(check(model, without(document, path))).toMatchObject({ ok: true })
  })

  test.for(rules)('$path takes what the specification allows', ({ path, good }) => {
    for (const value of good) {
      const checked = check(model, withValue(document, path, value))
      expect(checked, `with ${JSON.stringify(value)}`).toMatchObject({ ok: true })
      const kept = checked.ok ? valueAt(checked.value, path) : undefined
      expect({ kept }).toMatchObject({ kept: value })
    }
  })

  test.for(rules)('$path refuses everything else, by its name', ({ path, bad, badForModel = [] }) => {
    for (const value of [...bad, ...badForModel]) {
      const paths = problemPaths(withValue(document, path, value))
      expect(paths, `with ${JSON.stringify(value)}`).not.toEqual([])
      for (const problem of paths) expect(problem.startsWith(path), `${problem} is about ${path}`).toBe(true)
    }
  })

  test('every documented field has a row in the table of fields', () => {
    const paths = Object.keys(fields).map(path => path.replaceAll('[0]', '[]').replace('.small.', '.*.'))
    const undocumented = propertiesOf(jsonSchemaOf(model, name))
      .map(({ path }) => path)
      .filter(
        field =>
          !paths.some(path => path === field || path.startsWith(`${field}.`) || path.startsWith(`${field}[`)),
      )
    expect(undocumented.filter(field => !FIELDS_WITH_TESTS_OF_THEIR_OWN.includes(field))).toEqual([])
  })

  function problemPaths(value: unknown): string[] {
    const checked = check(model, value)
    return checked.ok ? [] : checked.problems.map(problem => pathText(problem.path))
  }
})

/** What they may be depends on one another; see documents.test.ts and sign_in.test.ts. */
const FIELDS_WITH_TESTS_OF_THEIR_OWN = [
  'spec.routing.strategy',
  'spec.routing.fallback.model',
  'approvals.people_only',
  'auth.oidc[].audience',
  ...[
    'client_id',
    'client_secret_ref',
    'cli_client_id',
    'name',
    'scopes',
    'session_idle',
    'session_lasts',
  ].map(key => `auth.oidc[].login.${key}`),
]
