import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { hasUnknownField } from '../../../src/models/shapes/is_event.ts'
import { RunEvent as shape } from '../../../src/models/shapes/run_event.ts'
import {
  type KnownFields,
  knownOf,
  unknownFieldText,
  unknownFields,
} from '../../../src/models/unknown_fields.ts'
import { DOCUMENTS } from '../support/documents.ts'
import { runEvent } from '../support/arbitraries.ts'
import { withValue } from '../support/paths.ts'

const KNOWN = knownOf(shape) as KnownFields
const { document, fields } = DOCUMENTS.RunEvent
const objects = ['', 'metrics.', 'request.', 'usage.', 'usage.model.', 'usage.models[0].', 'usage.tools[0].']

test('no field of the model is unknown', () => {
  expect(hasUnknownField(document as Record<string, unknown>)).toBe(false)
  expect(Object.keys(fields).length).toBeGreaterThan(objects.length)
})

test.each([
  ['usage.model.prompt_tokens', 'usage.model.input_tokens'],
  ['usage.model.completion_tokens', 'usage.model.output_tokens'],
  ['usage.model.cache_creation_input_tokens', 'usage.model.cache_write_input_tokens'],
  ['usage.models[].prompt_tokens', 'usage.models[].input_tokens'],
  ['metrics.duration_ms', 'metrics.latency_ms'],
  ['usage.model.inputtokens', 'usage.model.input_tokens'],
])('%s was meant for %s', (typed, meant) => {
  expect(unknownFieldText(typed, KNOWN, 'unknown')).toBe(`${typed} is unknown; did you mean ${meant}?`)
})

test.for(objects.flatMap(place => ['extra', 'constructor', 'hasOwnProperty', '2'].map(name => place + name)))(
  '%s is one',
  path => {
    const changed = withValue(document, path, 1) as Record<string, unknown>
    expect(unknownFields(changed, KNOWN)).toHaveLength(1)
    expect(hasUnknownField(changed)).toBe(true)
  },
)

test('what is written out for events says what the search by names says', () => {
  const names = fc.constantFrom(
    'run_id',
    'metrics',
    'usage',
    'model',
    'models',
    'tools',
    'success',
    'extra',
    '__proto__',
  )
  const value = fc.letrec(tie => ({
    any: fc.oneof({ maxDepth: 4 }, fc.constantFrom(null, 1, 'text'), tie('list'), tie('object')),
    list: fc.array(tie('any'), { maxLength: 3 }),
    object: fc.dictionary(names, tie('any'), { maxKeys: 4 }),
  })).object
  fc.assert(
    fc.property(fc.oneof(runEvent, value), given => {
      const event = JSON.parse(JSON.stringify(given)) as Record<string, unknown>
      expect(hasUnknownField(event)).toBe(unknownFields(event, KNOWN).length > 0)
    }),
  )
})
