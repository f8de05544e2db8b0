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

describe('what it reads', () => {
  test('is what the full reader reads, of any text', async () => {
    let read = 0
    await fc.assert(
      fc.asyncProperty(text, async written => {
        const plain = plainYaml(written)
        if (plain === undefined) return
        read++
        expect(JSON.stringify(plain)).toBe(JSON.stringify(await full(written)))
      }),
      { numRuns: 20_000 },
    )
    expect(read).toBeGreaterThan(2000)
  })

  test.each(VALUES)('is what the full reader reads, or nothing, of the value %j', async value => {
    for (const written of COMMENTS.map(comment => `a: ${value}${comment}\nb:\n  c: ${value}\n`)) {
      const plain = plainYaml(written)
      expect(plain ?? (await full(written))).toStrictEqual(await full(written))
    }
  })
})

test('the configurations and policies that come with the package are plain', async () => {
  const folders = ['deploy', 'examples/quickstart']
  const files = folders.flatMap(folder =>
    readdirSync(join(ROOT_PATH, folder))
      .filter(name => /^(?:service|policy)\.yaml$/.test(name))
      .map(name => join(ROOT_PATH, folder, name)),
  )
  expect(files.length).toBeGreaterThan(1)
  for (const file of files) {
    const written = readFileSync(file, 'utf8')
    expect(plainYaml(written), file).toBeTypeOf('object')
    expect(plainYaml(written)).toStrictEqual(await full(written))
  }
})
