import { expect } from 'vitest'
import { type CheckedName, SHAPES, check as checkByShape } from '../../../src/models/all/check.ts'
import type { AnyModel } from '../../../src/models/model.ts'
import { loadModel } from '../../../tools/models.ts'
import type { Checked, Problem } from '../../../src/models/checks.ts'
import type { Shape } from '../../../src/models/shape.ts'
import { checkByArktype } from './arktype_check.ts'

const shapes = new Map<AnyModel, Shape>()
for (const name of Object.keys(SHAPES) as CheckedName[]) {
  shapes.set(await loadModel(name), await SHAPES[name]())
}

/**
 * Validates a value by its model, and where that has a shape also by that: both say the same, word by word. The order of places
 * is not compared: arktype has fields whose default is made by a function in an order that depends on what it saw before.
 */
export function check<T extends AnyModel>(model: T, value: unknown): Checked<T['infer']> {
  const checked = checkByArktype(model, value)
  const shape = shapes.get(model)
  if (shape !== undefined) expect(byPlace(checkByShape(shape, value))).toEqual(byPlace(checked))
  return checked
}

function byPlace<T>(checked: Checked<T>): Checked<T> {
  if (checked.ok) return checked
  const placeOf = ({ path }: Problem): string => JSON.stringify(path)
  return {
    ok: false,
    problems: checked.problems.toSorted((a, b) =>
      placeOf(a) < placeOf(b) ? -1 : Number(placeOf(a) > placeOf(b)),
    ),
  }
}
