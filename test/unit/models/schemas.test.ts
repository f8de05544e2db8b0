import { readdirSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { check } from '../support/check.ts'
import { object } from '../../../src/models/model.ts'
import { loadModel } from '../../../tools/models.ts'
import type { ModelName } from '../../../src/models/all/models.ts'
import { type JsonSchema, jsonSchemaOf } from '../../../src/models/schemas.ts'
import { pricingCatalog, runEvent } from '../support/arbitraries.ts'
import { DOCUMENTS, MODEL_NAMES } from '../support/documents.ts'
import { propertiesOf } from '../support/properties.ts'
import { valueAt, without, withValue } from '../support/paths.ts'

/** The published schemas (specification, Versioning). */
const FILES = {
  Release: 'release.schema.json',
  RunEvent: 'run_event.schema.json',
  PricingTable: 'pricing_table.schema.json',
  PricingCatalog: 'pricing_catalog.schema.json',
  Policy: 'policy.schema.json',
  WorkspacePublic: 'workspace_public.schema.json',
} as const satisfies Partial<Record<ModelName, string>>

const FOLDER = '../../../schemas/v1'
const ajv = new Ajv2020({ strict: true, allErrors: true, formats: { 'date-time': true } })

describe.for(Object.entries(FILES) as [keyof typeof FILES, string][])('%s', async ([name, file]) => {
  const model = await loadModel(name)
  const { document, fields } = DOCUMENTS[name]
  const schema: JsonSchema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: file,
    ...jsonSchemaOf(model, name),
  }
  const isValid = ajv.compile(schema)

  test(`schemas/v1/${file} is what the model says; npm run generate writes it anew`, async () => {
    await expect(`${JSON.stringify(schema, null, 2)}\n`).toMatchFileSnapshot(`${FOLDER}/${file}`)
  })

  test('the schema accepts what the model accepts', () => {
    const valid = Object.entries(fields).flatMap(([path, { required, good }]) => [
      ...good.map(value => withValue(document, path, value)),
      ...(required ? [] : [without(document, path)]),
    ])
    const examples = (schema.examples ?? []) as readonly unknown[]
    expect([document, ...valid, ...examples].filter(given => !isValid(given))).toEqual([])
    expect(examples.filter(given => !check(model, given).ok)).toEqual([])
  })

  test('the schema refuses what is missing or of the wrong shape', () => {
    const invalid = Object.entries(fields).flatMap(([path, { required, bad }]) => [
      ...bad.map(value => withValue(document, path, value)),
      ...(required ? [without(document, path)] : []),
    ])
    expect([...invalid, [], null, 'v1', 5].filter(given => isValid(given))).toEqual([])
  })

  test('the schema refuses an unknown field exactly where the model does', () => {
    const odd = { ...document, unknown_field: 1 }
    expect(isValid(odd)).toBe(check(model, odd).ok)
  })
})

test.for([
  ['RunEvent', runEvent],
  ['PricingCatalog', pricingCatalog],
] as const)('the schema of %s accepts any valid document', async ([name, documents]) => {
  const model = await loadModel(name)
  const isValid = ajv.compile(jsonSchemaOf(model, name))
  fc.assert(
    fc.property(documents, given => {
      expect(check(model, given)).toMatchObject({ ok: true })
      expect(isValid(given)).toBe(true)
    }),
  )
})

describe.for(MODEL_NAMES)('the schema of %s', async name => {
  const model = await loadModel(name)
  const properties = propertiesOf(jsonSchemaOf(model, name))

  test('describes every property in a sentence', () => {
    const sentence = expect.stringMatching(/^[A-Z].*\.$/) as unknown
    expect(properties.map(({ property }) => property.description)).toEqual(properties.map(() => sentence))
  })

  test('has defaults that it accepts itself', () => {
    const odd = properties.filter(
      ({ property }) => 'default' in property && !ajv.validate(property, property.default),
    )
    expect(odd).toEqual([])
  })

  test('has the defaults that the model applies', () => {
    const { document } = DOCUMENTS[name]
    const leaves = properties.filter(({ property }) => property.properties === undefined)
    const applied = leaves.flatMap(({ path, property }) => {
      const place = path.replaceAll('[]', '[0]').replace('.*.', '.small.')
      const checked = check(model, without(document, place))
      const value = checked.ok ? valueAt(checked.value, place) : undefined
      return value === undefined ? [] : [{ path, applied: value, documented: property.default }]
    })
    expect(applied.filter(field => !Object.is(field.applied, field.documented))).toEqual([])
    expect(applied.length).toBe(APPLIED_DEFAULTS[name] ?? 0)
  })
})

/** Defaults of the other documents are applied elsewhere, or by whoever reads the document. */
const APPLIED_DEFAULTS: Partial<Record<ModelName, number>> = { Policy: 8, WorkspaceConfig: 10 }

// A new one is written by the first run and found by the second.
test('there is a schema file for each published document and no other', () => {
  expect(readdirSync(new URL(FOLDER, import.meta.url)).toSorted()).toEqual(Object.values(FILES).toSorted())
})

test('a model with a field that is not described has no schema', () => {
  const model = object('A tool.', {
    name: ['string', 'Its name.'],
    limits: [{ calls: 'number' }, 'Its limits.'],
  })
  expect(() => jsonSchemaOf(model, 'Tool')).toThrow('Tool: limits.calls is not described')
})
