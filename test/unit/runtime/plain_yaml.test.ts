import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { plainYaml } from '../../../src/runtime/plain_yaml.ts'
import { ROOT_PATH } from '../../../src/runtime/root.ts'
import { readYaml } from '../../../src/runtime/yaml.ts'

/** What the full reader makes of a text, which may be that it is wrong. */
function full(text: string): Promise<unknown> {
  return readYaml(text, 'x').catch((error: unknown) => ({ error }))
}

const KEYS = listed("a;b;policy_id;constructor;__proto__;null;true;y;1;a-b;'a';<<;?;-")
const VALUES = [
  ...listed(
    '{};{ };{ a: 1 };{ a: 1, b: x, };{a: 1, b: 2};{ a: 1, a: 2 };{ a };{ a: };{ a:1 };{ a: 1;{ a: b c };{ , };{',
  ),
  ...listed(
    'a:b:c;a::b;a:;:a;a:-;a:#b;https://x/y;{ a: b:c };{ a: 1,, b: 2 };{ a : 1 };{ a: true, b: .5 };{ a: -1 };{ a: x } # c;{ a: x }y;{ 1: 2 };{ a: { b: 1 } };}',
  ),
  ...listed(
    ';word;x/y.z;./a;../a;/;.;..;...;---;-;--;-1;+1;.5;5.;0;007;1.10;1.;1e3;1E-3;0x1f;0o17;0b1;1_000',
  ),
  ...listed('999999999;9007199254740993;123456789.5;24h;7d;1e;12:30;2026-11-23;a b;a: b;a:b;a#b;a #b;# c;#c'),
  ...listed(
    'true;false;True;FALSE;null;Null;~;yes;on;.inf;.NaN;-.inf;.infx;nan;|;>;{a: 1};[1];{};&a b;*a;!t b',
  ),
  ...listed(String.raw`"a # b";'a: b';"";'';'it''s';"a\n";"a" b;"a;'a;é;"é";%;@;,`),
  '`',
  '\u2028',
  '\t',
]
const COMMENTS = ['', ' ', ' # c', ' # é \u2028', '#c', '\t', ' \t# c', '  ']
const LINES = [
  '',
  ' ',
  '# c',
  '   # é',
  '---',
  '...',
  '- a',
  '\t',
  '%YAML 1.2',
  '\uFEFF',
  'a',
  '\r',
  '  a',
  ': a',
]

function listed(text: string): string[] {
  return text.split(';')
}

const setting = fc
  .tuple(
    fc.constantFrom(0, 0, 0, 1, 2, 2, 2, 3, 4),
    fc.constantFrom(...KEYS),
    fc.constantFrom(':', ':', ':', ': ', ' :', ''),
    fc.constantFrom(...VALUES),
    fc.constantFrom(...COMMENTS),
  )
  .map(([indent, key, colon, value, comment]) => `${' '.repeat(indent)}${key}${colon} ${value}${comment}`)
const plainer = fc
  .tuple(
    fc.constantFrom(0, 0, 2, 2, 4),
    fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'),
    fc.constantFrom('', '', '', ' 1', ' x'),
  )
  .map(([indent, key, value]) => `${' '.repeat(indent)}${key}:${value}`)
const text = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: setting },
      { weight: 12, arbitrary: plainer },
      { weight: 1, arbitrary: fc.constantFrom(...LINES) },
    ),
    { maxLength: 7 },
  )
  .map(lines => lines.join('\n'))

const word = fc.constantFrom(
  '1',
  '0.5',
  'x',
  'a/b',
  'a:b',
  "'q r'",
  '24h',
  'true',
  '{ a: 1 }',
  '{ a: x, b: 2, }',
)
const item = fc.oneof(
  word.map(value => [`- ${value}`]),
  word.map(value => [`-  a: ${value}`, '   b: 1']),
  word.map(value => ['- a: x', '  b:', `    c: ${value}`]),
  word.map(value => ['- {', `    a: ${value},`, '    b: 1,', '  }']),
)
const setTo = fc.oneof(
  word.map(each => [` ${each}`]),
  fc.array(item, { minLength: 1, maxLength: 4 }).map(items => ['', ...items.flat().map(line => `  ${line}`)]),
  fc
    .array(word, { minLength: 1, maxLength: 3 })
    .map(words => ['', ...words.map((each, at) => `  k${at}: ${each}`)]),
  fc
    .array(word, { maxLength: 3 })
    .map(words => [' {', ...words.map((each, at) => `  k${at}: ${each},`), ' }']),
)
const slip = fc.tuple(
  fc.nat(20),
  fc.constantFrom<(line: string) => string>(
    line => line,
    line => line,
    line => ` ${line}`,
    line => `  ${line}`,
    line => line.replace(' ', ''),
    line => line.replace('  ', ''),
    () => '',
    () => '# c',
    ...[',', ':', ' }', ' {', ' # c', ' x', '\n}', '\n  - 1', '\n  a: 1'].map(
      more => (line: string) => line + more,
    ),
  ),
)
/** Settings and lists with a slip, or none. */
const tree = fc
  .tuple(fc.array(setTo, { minLength: 1, maxLength: 4 }), slip)
  .map(([values, [at, slipped]]) => {
    const lines = values.flatMap(([first, ...rest], key) => [`s${key}:${first}`, ...rest])
    return lines.map((line, index) => (index === at % lines.length ? slipped(line) : line)).join('\n')
  })

describe('what it reads', () => {
  test('is what the full reader reads, of any text', async () => {
    const read = { texts: 0, lists: 0, braces: 0 }
    await fc.assert(
      fc.asyncProperty(fc.oneof(text, tree), async document => {
        const plain = plainYaml(document)
        if (plain === undefined) return
        read.texts++
        read.lists += Array.isArray(Object.values(plain ?? {})[0]) ? 1 : 0
        read.braces += /\{\n/.test(document) ? 1 : 0
        expect(JSON.stringify(plain)).toBe(JSON.stringify(await full(document)))
      }),
      { numRuns: 20_000 },
    )
    expect(Math.min(read.texts, read.lists * 10, read.braces * 10)).toBeGreaterThan(2000)
  })

  test.each(VALUES)('is what the full reader reads, or nothing, of the value %j', async value => {
    for (const written of COMMENTS.map(comment => `a: ${value}${comment}\nb:\n  c: ${value}\n`)) {
      const plain = plainYaml(written)
      expect(plain ?? (await full(written))).toStrictEqual(await full(written))
    }
  })
})

test('the configurations, policies and prices that come with the package are plain', async () => {
  const folders = ['deploy', 'examples/quickstart', 'src/prices']
  const files = folders.flatMap(folder =>
    readdirSync(join(ROOT_PATH, folder))
      .filter(name => name.endsWith('.yaml') && name !== 'compose.yaml')
      .map(name => join(ROOT_PATH, folder, name)),
  )
  expect(files.length).toBeGreaterThan(5)
  for (const file of files) {
    const written = readFileSync(file, 'utf8')
    expect(plainYaml(written), file).toBeTypeOf('object')
    expect(plainYaml(written)).toStrictEqual(await full(written))
  }
})
