import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Visitor, parseSync } from 'rolldown/utils'
import { expect, test } from 'vitest'
import { ROOT_PATH } from '../../../src/runtime/root.ts'

/**
 * The divisors in the SQL of a source that are parameters. SQLite is given each number as a double, so that `ts / ?` has a
 * fraction unless the time is a whole hour, say. On PostgreSQL it has none.
 */
function boundDivisors(text: string): string[] {
  const found: string[] = []
  new Visitor({
    TaggedTemplateExpression({ tag, quasi }) {
      if (tag.type !== 'Identifier' || tag.name !== 'sql') return
      for (const [index, { start, end }] of quasi.expressions.entries()) {
        const value = text.slice(start, end)
        // `bound` is a parameter that is cast.
        const isSql =
          /^(?:raw\(|sql`|bound\()/.test(value) ||
          /^(?:raw\(|sql`CAST)/.test(text.split(`${value} = `)[1] ?? '')
        if (/[/%]\s*$/.test(quasi.quasis[index]!.value.raw) && !isSql) found.push(value)
      }
    },
  }).visit(parseSync('a.ts', text).program)
  return found
}

test.each([
  ['const a = sql`SELECT ts / ${HOUR_MS}`', ['HOUR_MS']],
  ['const a = sql`SELECT ts % ${HOUR_MS}, ${b}`', ['HOUR_MS']],
  ['const hour = raw("3600000")\nconst a = sql`SELECT ts / ${hour}`', []],
  ['const a = sql`SELECT ts / ${raw(String(HOUR_MS))}`', []],
  ['const a = `ts / ${HOUR_MS}`', []],
])('finds what a parameter divides: %s', (text, divisors) => {
  expect(boundDivisors(text)).toEqual(divisors)
})

test('no parameter divides in SQL', () => {
  const found = globSync('{src,handlers}/**/*.ts', { cwd: ROOT_PATH }).flatMap(path =>
    boundDivisors(readFileSync(join(ROOT_PATH, path), 'utf8')).map(name => `${path}: ${name}`),
  )
  expect(found).toEqual([])
})
