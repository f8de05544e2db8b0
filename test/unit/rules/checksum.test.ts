import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CanonicalText, isLeftOut, isTextPath } from '../../../src/rules/checksum.ts'

const utf8 = (text: string) => new TextEncoder().encode(text)

/** What is hashed of a file that comes in parts of so many bytes. */
function content(path: string, bytes: Uint8Array, size = 3): Buffer {
  const text = new CanonicalText()
  const parts: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += size) parts.push(bytes.subarray(at, at + size))
  const normal = parts.map(part => Buffer.from(text.next(part)))
  return isTextPath(path) && text.end() ? Buffer.concat(normal) : Buffer.from(bytes)
}

const contentText = (path: string, text: string) => content(path, utf8(text)).toString('utf8')

describe('a file of a bundle', () => {
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

  test('however it is cut into parts, it is the text with LF line ends', () => {
    const parts = fc.array(fc.constantFrom('\r', '\n', 'é', '😀', 'a'))
    fc.assert(
      fc.property(parts, fc.integer({ min: 1, max: 9 }), (found, size) => {
        const text = found.join('')
        expect(content('a.md', utf8(text), size).toString()).toBe(text.replaceAll(/\r\n?/g, '\n'))
      }),
    )
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

test('what is named .git or __pycache__ is left out, and nothing else', () => {
  expect(['.git', '__pycache__'].map(isLeftOut)).toEqual([true, true])
  const others = ['.gitignore', '.github', 'git', '.GIT', '__pycache__2', 'release.yaml', '', '.']
  expect(others.filter(isLeftOut)).toEqual([])
})
