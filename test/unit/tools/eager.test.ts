import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { eager } from '../../../tools/packaging/eager.ts'

/** What a program leaves in `out`, as it is and rewritten. */
function ran(code: string): readonly [before: unknown, after: unknown] {
  return [code, eager(code, 'x.cjs')].map(text => {
    const out: unknown[] = []
    runInNewContext(text, { out })
    return out
  }) as [unknown, unknown]
}

test.each([
  ['a declaration that is called before it stands', 'out.push(f(1)); function f(a) { return a + 1 }'],
  [
    'declarations that call each other',
    'function a(n) { return n ? b(n - 1) : "a" }\nfunction b(n) { return a(n) }\nout.push(a(3))',
  ],
  [
    'names',
    'function f() {}\nconst g = () => {}\nconst o = { h: a => a }\nout.push(f.name, g.name, o.h.name, f.length, o.h.length)',
  ],
  [
    'arrows within arrows',
    'const f = a => b => c => [a, b, c]\nout.push(f(1)(2)(3), [1, 2].map(x => x * 2))',
  ],
  ['an object that an arrow gives', 'const f = (a, b = () => 3) => ({ a, b: b() })\nout.push(f(1))'],
  [
    'this and arguments',
    'function f() { return (() => [this.x, arguments[0]])() }\nout.push(f.call({ x: 1 }, 2))',
  ],
  ['generators', 'function* g() { yield* [1, 2] }\nout.push(...g())'],
  [
    'classes',
    'class A { #x = 1; get = () => this.#x; static s = a => a }\nout.push(new A().get(), A.s(2), f())\nfunction f() { return new A().get() }',
  ],
  [
    'letters beyond ASCII',
    'const é = "→"; out.push([1].map(a => `${é} ${a}`)); function ü() { return "😀" } out.push(ü())',
  ],
])('%s: the program does the same', (_, code) => {
  const [before, after] = ran(code)
  expect(after).toEqual(before)
  expect(before).not.toEqual([])
})

test('functions stand in parentheses, but for asynchronous arrows and methods', () => {
  const code = 'async function f() {}\nconst g = () => 1\nconst h = async () => 2\nclass A { m() {} }\n'
  expect(eager(code, 'x.cjs')).toBe(
    'const f = (async function f() {});\n\nconst g = (() => 1)\nconst h = async () => 2\nclass A { m() {} }\n',
  )
})

test('what can no longer be compiled is refused', () => {
  expect(() => eager('function f() {}\nfunction f() {}', 'x.cjs')).toThrow('has already been declared')
})
