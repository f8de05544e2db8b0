import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runInThisContext } from 'node:vm'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ROOT_PATH } from '../../../src/runtime/root.ts'
import { AREAS } from '../../../tools/mutation/areas.ts'
import { EXPLAINED } from '../../../tools/mutation/explained/explained.ts'
import { instrumented } from '../../../tools/mutation/instrument.ts'
import { type Mutant, mutantsOf } from '../../../tools/mutation/mutants.ts'
import { sourcesOf } from '../../../tools/mutation/related.ts'
import { runMutants } from '../../../tools/mutation/run.ts'
import { installSwitch } from '../../../tools/mutation/switch.ts'

describe('of a text there are these mutants', () => {
  test.each<[string, readonly string[]]>([
    ['x = a < b', ['a <= b', 'a >= b', 'true', 'false']],
    ['x = a === b', ['a !== b', 'true', 'false']],
    ['x = a + b', ['a - b']],
    ["x = a + '%'", ["''"]],
    ['x = a && b', ['a || b', 'true', 'false']],
    ['x = a ?? b ?? c', ['(a ?? b) && c', 'a && b']],
    ['if (a) b()', ['true', 'false']],
    ['x = a ? b : c', ['true', 'false']],
    ['while (a) b()', ['false']],
    ['x = () => a', ['undefined']],
    ['x = () => undefined', []],
    ['function f() { return a }', ['{}']],
    ['switch (a) { case b: c(); d() }', ['{}']],
    ['x = true', ['false']],
    ['x = !a', ['a']],
    ['x = -a', ['+a']],
    ['a++', ['a--']],
    ['a += b', ['a -= b']],
    ['x = [a]', ['[]']],
    ['x = []', ["['mutated']"]],
    ['x = { a }', ['{}']],
    ['x = a?.b[c]?.(d)', ['a.b[c]?.(d)', 'a?.b[c](d)']],
    ['x = a.some(b)', ['a.every(b)']],
    ['x = a.filter(b)', ['a']],
    ['x = /^a[^b]$/u', ['/a[^b]$/u', '/^a[^b]/u', '/^a[b]$/u']],
    ["x = 'a' as const", ["''"]],
    ["x = 'words for people'", []],
    ["import a from 'b'; type T = 'a' | { b: true }; x = { 'a': a }", ['{}']],
    ['x = sql`a ${b}`', []],
  ])('%s', (text, instead) => {
    expect(mutantsOf('a.ts', text).map(mutant => mutant.instead)).toEqual(instead)
  })
})

describe('a text with all of its mutants in it', () => {
  const text = `
let x = 0
const list = [3, 1, 2]
list.toSorted().filter(each => each > 1).forEach(each => { x += each })
function more(a) { if (a === undefined) return x
  switch (a) { case 1: x++; break; default: x *= 2 }
  return x }
return [more(), more(1), more(2), more?.(3) ?? 4]`
  const numbered = mutantsOf('a.js', text).map((mutant, id) => ({ ...mutant, id }))
  const { turnOn, reached, isTried } = installSwitch(numbered.length)
  const run = (source: string): unknown => runInThisContext(`(() => {${source}})()`)

  test('does what it did while none is on, and is as many lines', () => {
    const all = instrumented('a.js', text, numbered)
    expect(run(all)).toEqual([5, 6, 12, 24])
    expect(all.split('\n')).toHaveLength(text.split('\n').length)
    expect(reached().size).toBe(numbered.length)
  })

  test.each(numbered.filter(({ text: { length }, kind }) => kind === 'expression' && length < 40))(
    'does with one what the text with that change does: $text → $instead',
    ({ id, start, end, instead }) => {
      const changed = `${text.slice(0, start)}${instead}${text.slice(end)}`
      turnOn(id, 1000)
      expect(outcome(instrumented('a.js', text, numbered))).toEqual(outcome(changed))
      turnOn(-1)
    },
  )

  test('says whether the one that is on was come by', () => {
    turnOn(0)
    expect(isTried()).toBe(false)
    run(instrumented('a.js', text, numbered))
    expect(isTried()).toBe(true)
    turnOn(1)
    expect(isTried()).toBe(false)
    turnOn(-1)
  })

  function outcome(source: string): unknown {
    try {
      return run(source)
    } catch (error) {
      return (error as Error).name
    }
  }
})

const all = new Map(
  Object.values(AREAS)
    .flatMap(sourcesOf)
    .flatMap(file => mutantsOf(file, readFileSync(join(ROOT_PATH, file), 'utf8')))
    .map(mutant => [mutant.key, mutant]),
)

test('each mutant that is explained can be made still', () => {
  expect(Object.keys(EXPLAINED).filter(key => !all.has(key))).toEqual([])
})

/** Rules that let through what they should stop were one word of them wrong, with their tests. */
const GUARDED: readonly (readonly [file: string, ...tests: string[]])[] = [
  ['src/features/identity/rules_identity.ts', 'test/unit/features/identity/rules_identity.test.ts'],
  [
    'src/rules/statistics/decide.ts',
    'test/unit/rules/statistics/decide.test.ts',
    'test/unit/rules/statistics/decide_floor.test.ts',
  ],
]

test.each(GUARDED)('every mutant of %s is killed, or explained', (file, ...tests) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-mutation-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const mutants = [...all.values()].filter(mutant => mutant.file === file)
  const outcomes = runMutants({ mutants, tests, seed: 1, folder })
  const lived = outcomes.filter(({ state }) => state === 'survived' || state === 'not covered')
  const keyOf = ({ mutant }: { mutant: Mutant }): string => mutant.key
  expect(lived.map(keyOf).filter(key => EXPLAINED[key] === undefined)).toEqual([])
  expect(outcomes.length - lived.length).toBeGreaterThan(30)
})
