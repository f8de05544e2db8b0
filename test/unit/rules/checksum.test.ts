import { createHash } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalFile, comparePaths, isLeftOut } from '../../../src/rules/checksum.ts'

const utf8 = (text: string) => new TextEncoder().encode(text)

/** The content that is hashed, without the path and the NUL bytes around it. */
function content(path: string, bytes: Uint8Array): Buffer {
  const parts = canonicalFile({ path, bytes })
  expect(parts).toHaveLength(4)
  return Buffer.from(parts[2]!)
}

const contentText = (path: string, text: string) => content(path, utf8(text)).toString('utf8')

describe('canonicalFile', () => {
  test('feeds path, NUL, content, NUL', () => {
    const fed = Buffer.concat(canonicalFile({ path: 'prompts/système.md', bytes: utf8('hello') }))
    expect(fed).toEqual(Buffer.from('prompts/système.md\0hello\0', 'utf8'))
  })

  test('makes the digest of the specification', () => {
    const files = [
      { path: 'release.yaml', bytes: utf8('kind: Release\r\n') },
      { path: 'logo.png', bytes: Uint8Array.of(0x89, 0x0d, 0x0a, 0xff) },
      { path: 'a/b.txt', bytes: utf8('') },
    ]
    const hash = createHash('sha256')
    for (const file of files.toSorted((x, y) => comparePaths(x.path, y.path))) {
      for (const part of canonicalFile(file)) hash.update(part)
    }
    const spelt = Buffer.concat([
      Buffer.from('a/b.txt\0\0logo.png\0'),
      Buffer.from([0x89, 0x0d, 0x0a, 0xff]),
      Buffer.from('\0release.yaml\0kind: Release\n\0'),
    ])
    expect(hash.digest('hex')).toBe(createHash('sha256').update(spelt).digest('hex'))
  })

  test.for([
    ['\r\n', '\n'],
    ['\r', '\n'],
    ['\n', '\n'],
    ['\r\r\n', '\n\n'],
    ['\n\r', '\n\n'],
    ['a\r\nb\rc\nd', 'a\nb\nc\nd'],
    ['no line end', 'no line end'],
    ['', ''],
    ['\u2028\u0085\f', '\u2028\u0085\f'],
  ] as const)('line ends in %j become %j', ([text, normal]) => {
    expect(contentText('a.md', text)).toBe(normal)
  })

  test.for(['.md', '.yaml', '.yml', '.txt', '.json', '.csv', '.toml', '.MD', '.Yaml', '.JSON', '.min.json'])(
    'a %s file is text',
    suffix => {
      expect(contentText(`folder.bin/a${suffix}`, 'a\r\nb')).toBe('a\nb')
    },
  )

  test.for([
    'a.py',
    'a.png',
    'a',
    'md',
    'amd',
    'a.md.bak',
    'a.mdx',
    'a.jsonl',
    'a.yaml~',
    'a.md/b',
    'a.md\n',
  ])('%j is hashed as it is', path => {
    expect(contentText(path, 'a\r\nb')).toBe('a\r\nb')
  })

  test('text that is not valid UTF-8 is hashed as it is', () => {
    for (const bytes of [
      [0xff, 0x0d, 0x0a],
      [0x0d, 0x0a, 0xc3],
      [0xed, 0xa0, 0x80, 0x0d],
      [0xc0, 0x80, 0x0d],
    ]) {
      expect([...content('a.md', Uint8Array.from(bytes))]).toEqual(bytes)
    }
  })

  test('a byte order mark is kept', () => {
    expect([...content('a.md', Uint8Array.of(0xef, 0xbb, 0xbf, 0x61, 0x0d))]).toEqual([
      0xef, 0xbb, 0xbf, 0x61, 0x0a,
    ])
  })

  test('normalising twice changes nothing, and no carriage return is left in text', () => {
    const lines = fc.array(fc.oneof(fc.constantFrom('\r', '\n', '\r\n'), fc.string({ unit: 'binary' })))
    fc.assert(
      fc.property(lines, parts => {
        const once = contentText('a.md', parts.join(''))
        expect(once).not.toContain('\r')
        expect(contentText('a.md', once)).toBe(once)
      }),
    )
  })

  test('other files are hashed byte by byte', () => {
    fc.assert(
      fc.property(fc.uint8Array(), bytes => {
        expect([...content('a.bin', bytes)]).toEqual([...bytes])
      }),
    )
  })
})

describe('comparePaths', () => {
  test.for([
    ['a', 'b'],
    ['a', 'aa'],
    ['', 'a'],
    ['B', 'a'],
    ['a.md', 'a/b.md'],
    ['a-b', 'a/b'],
    ['a/b', 'a0'],
    ['z', 'é'],
    // By UTF-16 units an astral character would come before U+FFFF.
    ['\uFFFF', '😀'],
    ['\uE000', '\u{10000}'],
    ['a\uFFFDb', 'a\u{1F600}'],
  ] as const)('%j sorts before %j', ([first, second]) => {
    expect(comparePaths(first, second)).toBeLessThan(0)
    expect(comparePaths(second, first)).toBeGreaterThan(0)
    expect(comparePaths(first, first)).toBe(0)
  })

  test('is the byte order of UTF-8', () => {
    const path = fc.string({ unit: 'binary' })
    fc.assert(
      fc.property(path, path, fc.string({ unit: 'binary', maxLength: 3 }), (a, b, common) => {
        const [left, right] = [common + a, common + b]
        const order = Buffer.compare(Buffer.from(left), Buffer.from(right))
        expect(Math.sign(comparePaths(left, right))).toBe(order)
      }),
      { numRuns: 1000 },
    )
  })
})

test('what is named .git or __pycache__ is left out, and nothing else', () => {
  expect(['.git', '__pycache__'].map(isLeftOut)).toEqual([true, true])
  const others = ['.gitignore', '.github', 'git', '.GIT', '__pycache__2', 'release.yaml', '', '.']
  expect(others.filter(isLeftOut)).toEqual([])
})
