import { type } from 'arktype'
import { expect, test } from 'vitest'
import type { CheckedName } from '../../../src/models/all/check.ts'
import { loadInputs, loadModel } from '../../../tools/models.ts'
import { SHAPE_FILES, inputsSource, shapeSource } from '../../../tools/shapes.ts'

test.for(Object.keys(SHAPE_FILES) as CheckedName[])(
  'the shape of %s is what its model says; `npm run generate` writes it',
  async name => {
    const { model } = await loadModel(name)
    await expect(shapeSource(model)).toMatchFileSnapshot(`../../../src/models/shapes/${SHAPE_FILES[name]}.ts`)
  },
)

test('the shapes of inputs are what their models say; `npm run generate` writes them', async () => {
  const source = inputsSource(await loadInputs())
  await expect(source).toMatchFileSnapshot('../../../src/models/shapes/inputs.ts')
})

test.for([
  ['branches of one kind', type({ a: 'string' }).or({ b: 'string' }), /apart by kinds/],
  ['a narrowing of its own', type.string.narrow(text => text !== 'a'), /no check of/],
  ['a limit that is not in it', type('number > 0'), /knows nothing of min/],
  ['keys of a form', type({ '[/^a/]': 'string' }), /may be any/],
] as const)('a model with %s has no shape', ([, model, problem]) => {
  expect(() => shapeSource(model)).toThrow(problem)
})
