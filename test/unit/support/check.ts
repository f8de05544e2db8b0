import { expect } from 'vitest'
import { type CheckedName, SHAPES, check as checkByShape } from '../../../src/models/all/check.ts'
import type { AnyModel } from '../../../src/models/model.ts'
import { loadModel } from '../../../tools/models.ts'
import type { Checked } from '../../../src/models/checks.ts'
import type { Shape } from '../../../src/models/shape.ts'
import { checkByArktype } from './arktype_check.ts'

const shapes = new Map<AnyModel, Shape>()
for (const name of Object.keys(SHAPES) as CheckedName[]) {
  shapes.set(await loadModel(name), await SHAPES[name]())
}

/** Validates a value by its model, and where that has a shape also by that: both say the same, word by word. */
export function check<T extends AnyModel>(model: T, value: unknown): Checked<T['infer']> {
  const checked = checkByArktype(model, value)
  const shape = shapes.get(model)
  if (shape !== undefined) expect(checkByShape(shape, value)).toEqual(checked)
  return checked
}
