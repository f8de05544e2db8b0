import { describe, expect, test } from 'vitest'
import { type Column, listing } from '../../../src/cli/terminal/table.ts'
import { pretty, safe, safeJson } from '../../../src/cli/terminal/text.ts'
import { eventOf } from '../../support/services/builders.ts'
import { twoReleases } from '../../support/processes/cli.ts'

/** Escape sequences, line ends, what turns the direction of text, what can't be seen. */
const UNSAFE = [
  0x00, 0x07, 0x09, 0x0a, 0x0d, 0x1b, 0x1f, 0x7f, 0x80, 0x9b, 0x9f, 0x61c, 0x200b, 0x200c, 0x200d, 0x200e,
  0x200f, 0x2028, 0x2029, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069,
]
const AT_TERMINAL = { outIsTty: true, outColumns: 60 }
const SAFE = 'aé漢🙂 ~\u00A0\u00AD؛\u200A\u2010\u2027\u202F\u2065\u206A'

describe('what is printed', () => {
  test.each(UNSAFE)('escapes U+%i in text', code => {
    const char = String.fromCharCode(code)
    const escaped = `\\u${code.toString(16).padStart(4, '0')}`
    expect(safe(`a${char}b${char}`)).toBe(`a${escaped}b${escaped}`)
    const columns: Column<string | null>[] = [{ heading: 'head', cell: row => row }]
    expect(listing(columns, [char], AT_TERMINAL)).toBe(`head\n${escaped}\n`)
    expect(listing(columns, [char, null], { ...AT_TERMINAL, outIsTty: false })).toBe(`${escaped}\n-\n`)
  })

  test.each(UNSAFE)('escapes U+%i in JSON, which stays the same value', code => {
    const value = { [`k${String.fromCharCode(code)}`]: [`v${String.fromCharCode(code)}`, SAFE] }
    for (const json of [pretty(value), safeJson(JSON.stringify(value))]) {
      expect(JSON.parse(json)).toEqual(value)
      expect(json.replaceAll(/[\n ]/g, '')).not.toContain(String.fromCharCode(code))
    }
  })

  test('leaves everything else as it is', () => {
    expect(safe(SAFE)).toBe(SAFE)
    expect(pretty({ SAFE, x: 1 })).toBe(`${JSON.stringify({ SAFE, x: 1 }, null, 2)}\n`)
  })
})

test('an export on stdout can be printed and ingested; in a file it is as it was', async () => {
  const { workspace, baseline } = await twoReleases({}, 0)
  const { svc, ok, write, read } = workspace
  const odd = 'a\u009B2Jb\u202Ec'
  const event = eventOf({ release_id: baseline, run_id: odd, at: Date.now() - 1000 })
  write('events.jsonl', `${JSON.stringify(event)}\n`)
  await ok('runs', 'ingest', 'events.jsonl')
  const { stdout } = await svc('runs', 'export', baseline, '--window', '1h')
  expect(stdout).toContain('"a\\u009b2Jb\\u202ec"')
  expect((JSON.parse(stdout) as { run_id: string }).run_id).toBe(odd)
  await ok('runs', 'export', baseline, '--window', '1h', '-o', 'out.jsonl')
  expect(read('out.jsonl')).toContain(odd)
})
