import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseSync } from 'vite'
import { ROOT_PATH } from '../../../src/runtime/root.ts'
import { scaled } from '../../support/scale.ts'

/** Lengths of what is repeated, characters: small ones first, so that what takes exponential time is seen, not waited for. */
const LENGTHS = [16, 20, 24, 28, 32, 64, 512, 1024, 4096, 16_384]

/** What nothing linear takes at such lengths, on however busy a machine, ms of the best of three. */
const MOST_MS = 80

/** What is only ever given short texts: the digits of a number, and 64 characters of a name. */
const BOUNDED = new Set([String.raw`\B(?=(?:\d{3})+$)`, '_+$'])

interface Found {
  readonly file: string
  readonly pattern: string
  readonly flags: string
}

const found = ['src', 'handlers', 'bin'].flatMap(folder => sourcesOf(folder)).flatMap(expressionsOf)
const different = [...new Map(found.map(each => [`/${each.pattern}/${each.flags}`, each])).values()]

test('no regular expression of ours takes more than linear time, whatever it is given', () => {
  expect(different.length).toBeGreaterThan(120)
  const slow = different.flatMap(each => {
    if (BOUNDED.has(each.pattern)) return []
    const worst = slowestOf(each)
    return worst === undefined ? [] : [{ ...each, ...worst }]
  })
  expect(slow).toEqual([])
  process.stdout.write(`${different.length} different regular expressions of ${found.length}, all linear\n`)
})

test('it sees one that is quadratic, and one that is exponential', () => {
  for (const pattern of ['\\s+$', '^(a+)+$', '^(?:a|a)*$', ',.*,.*;$']) {
    expect(slowestOf({ file: '', pattern, flags: '' }), pattern).toBeDefined()
  }
})

function sourcesOf(folder: string): string[] {
  return readdirSync(join(ROOT_PATH, folder), { recursive: true, encoding: 'utf8' })
    .filter(name => /\.(?:tsx?|c?js)$/.test(name) && !/\.d\.ts$|accept\//.test(name))
    .map(name => join(folder, name))
}

/** The literals of a file, and the patterns that are given to RegExp as one text. */
function expressionsOf(file: string): Found[] {
  const { program } = parseSync(file, readFileSync(join(ROOT_PATH, file), 'utf8'))
  const expressions: Found[] = []
  visit(program, node => {
    const { regex } = node as { regex?: { pattern: string; flags: string } }
    if (regex !== undefined) expressions.push({ file, ...regex })
    const pattern = patternGiven(node)
    if (pattern !== undefined) expressions.push({ file, pattern, flags: 'u' })
  })
  return expressions
}

function patternGiven(node: Node): string | undefined {
  const {
    type,
    callee,
    arguments: given,
  } = node as Node & {
    callee?: { name?: string }
    arguments?: { type: string; value?: unknown }[]
  }
  if (type !== 'NewExpression' || callee?.name !== 'RegExp') return undefined
  return typeof given?.[0]?.value === 'string' ? given[0].value : undefined
}

interface Node {
  readonly type: string
}

function visit(value: unknown, see: (node: Node) => void): void {
  if (Array.isArray(value)) for (const item of value) visit(item, see)
  else if (typeof value === 'object' && value !== null) {
    if ('type' in value) see(value as Node)
    for (const inner of Object.values(value)) visit(inner, see)
  }
}

/** The first text that takes too long: something repeated that the expression may match, and what it then doesn't. */
function slowestOf({ pattern, flags }: Found): { input: string; ms: number } | undefined {
  // One that is sticky is tried at one place only.
  const expression = new RegExp(pattern, flags.replaceAll('g', ''))
  const pieces = piecesOf(pattern)
  for (const prefix of ['', ...pieces.slice(0, 6)]) {
    for (const piece of pieces) {
      for (const length of LENGTHS) {
        const text = `${prefix}${piece.repeat(Math.ceil(length / piece.length))}\u0000!`
        // Tried again only where something else may have delayed it.
        let ms = timeOf(expression, text)
        for (let again = 0; again < 2 && ms > MOST_MS; again++) ms = Math.min(ms, timeOf(expression, text))
        if (ms > MOST_MS) return { input: `${prefix} and ${length} of ${JSON.stringify(piece)}`, ms }
      }
    }
  }
  return undefined
}

function timeOf(expression: RegExp, text: string): number {
  expression.lastIndex = 0
  const startedAt = performance.now()
  expression.test(text)
  return performance.now() - startedAt
}

/** Texts that an expression repeats: characters of its classes, its literal texts, and pairs of both. */
function piecesOf(pattern: string): string[] {
  const literal = pattern
    .replaceAll(/\\[dDwWsSbBpP](?:\{[^}]*\})?|[()[\]{}^$*+?|]/g, ' ')
    .replaceAll('\\', '')
  const words = literal.split(/\s+|\./).filter(word => word !== '' && word.length < 30)
  const single = [
    'a',
    'Z',
    '0',
    ' ',
    '\t',
    '\n',
    '-',
    '_',
    '.',
    '/',
    '"',
    'é',
    ...literal.replaceAll(' ', ''),
  ]
  const singles = [...new Set(single)].slice(0, 24)
  const pairs = singles.slice(0, 8).flatMap(first => singles.slice(0, 8).map(second => first + second))
  return [...new Set([...singles, ...words.slice(0, 8), ...scaled(pairs.slice(0, 12), pairs)])]
}
