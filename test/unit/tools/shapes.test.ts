import { type } from 'arktype'
import { expect, test } from 'vitest'
import type { CheckedName } from '../../../src/models/all/check.ts'
import { loadInputs, loadModel } from '../../../tools/models.ts'
import { SHAPE_FILES, inputsSource, shapesSource } from '../../../tools/shapes.ts'

const NAMES = Object.keys(SHAPE_FILES) as CheckedName[]

test.for([...Map.groupBy(NAMES, name => SHAPE_FILES[name])])(
  'the shapes in %s are what their models say; `npm run generate` writes them',
  async ([file, names]) => {
    const models = await Promise.all(names.map(async name => [name, await loadModel(name)] as const))
    const source = shapesSource(Object.fromEntries(models))
    await expect(source).toMatchFileSnapshot(`../../../src/models/shapes/${file}.ts`)
  },
)

test('the shapes of inputs are what their models say; `npm run generate` writes them', async () => {
  const source = inputsSource(await loadInputs())
  await expect(source).toMatchFileSnapshot('../../../src/models/shapes/inputs.ts')
})

test.for([
  ['branches of one kind', type({ a: 'string' }).or({ b: 'string' }), /apart by kinds/],
  ['a narrowing of its own', type.string.narrow(text => text !== 'a'), /no check of/],
  ['a limit that is not in it', type('number > 0'), /knows nothing of exclusiveMinimum/],
  ['a pattern without words', type(/^a/), /needs words/],
  ['keys of a form', type({ '[/^a/]': 'string' }), /may be any/],
] as const)('a model with %s has no shape', ([, model, problem]) => {
  expect(() => shapesSource({ model })).toThrow(problem)
})
