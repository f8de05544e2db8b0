import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ROOT_PATH } from '../src/runtime/root.ts'
import { type Source, behind, folderCircles, readSources } from './house/imports.ts'
import { retiredWords } from './house/retired_words.ts'
import { featureOf } from './house/rooms.ts'

/** Prints what the house measures: circles, imports across features, the way of a request, and sizes. */
const sources = readSources()
const circles = folderCircles(sources).filter(circle => circle.every(folder => folder.startsWith('src')))
const written = sources.filter(({ isGenerated }) => !isGenerated)
const core = written.filter(({ path }) => featureOf(path) === undefined)
const linesOf = (files: readonly Source[]): number => files.reduce((sum, { lines }) => sum + lines, 0)
const crossings = sources.flatMap(({ path, imports }) =>
  imports.flatMap(({ to }) => {
    const [from, into] = [featureOf(path), featureOf(to)]
    return into === undefined || from === into || isEntry(path)
      ? []
      : [{ path, to, isCore: from === undefined }]
  }),
)
const importers = new Map<string, Set<string>>()
for (const { path, imports } of sources) {
  for (const { to } of imports) importers.set(to, (importers.get(to) ?? new Set()).add(path))
}
const single = [...importers.values()].filter(({ size }) => size === 1).length

const small = sources.filter(({ lines }) => lines < 25)
// Their names are the API, so that they stay files however short they are.
const isEndpoint = ({ path }: Source): boolean => /^handlers\/\w+\/[a-z]\w*\.ts$/.test(path)

const comparing = sources.filter(
  ({ path, text }) => !path.startsWith('src/sql/') && /\bdialect [!=]==|\.dialect\b/.test(text),
).length

const rows: readonly (readonly [what: string, value: string | number])[] = [
  ['circles of folders in src', `${circles.length}, of ${circles.flat().length} folders`],
  ['core imports of a feature', crossings.filter(({ isCore }) => isCore).length],
  ['imports of one feature by another', crossings.filter(({ isCore }) => !isCore).length],
  ['files behind POST /v1/promote', behind(sources, ['handlers/decisions/promote.ts']).size],
  ['files behind GET /v1/gate', behind(sources, ['handlers/deploys/gate.ts']).size],
  ['files behind POST /v1/events', behind(sources, ['handlers/runs/ingest.ts']).size],
  ['files outside its folders that say watch', saying(/watch/i, 'watch')],
  ['files outside src/sql that compare a dialect', comparing],
  ['hand-written lines in src and handlers', linesOf(written)],
  ['of these in the core', linesOf(core)],
  ['files under 25 lines', `${small.length}, of which ${small.filter(isEndpoint).length} are endpoints`],
  [
    'files with one importer',
    `${single} of ${sources.length} (${Math.round((100 * single) / sources.length)} %)`,
  ],
  ['folders', new Set(sources.map(({ path }) => dirname(path))).size],
  ['members of the SQL port', portMembers()],
]
for (const [what, value] of rows) process.stdout.write(`${what.padEnd(44)}${value}\n`)
if (process.argv.includes('--list')) {
  for (const circle of circles) process.stdout.write(`circle: ${circle.join(', ')}\n`)
  for (const { path, to } of crossings) process.stdout.write(`crosses: ${path} -> ${to}\n`)
}

const words = process.argv.indexOf('--words')
if (words > 0) {
  // Of the files whose paths begin so, or of all.
  const start = process.argv[words + 1] ?? ''
  for (const { path, text, isGenerated } of readSources(ROOT_PATH, ['src', 'handlers', 'test', 'tools'])) {
    if (isGenerated || !path.startsWith(start)) continue
    for (const { line, word, instead } of retiredWords(text)) {
      process.stdout.write(`${path}:${line}: ${word} (say ${instead})\n`)
    }
  }
}

/** `src/entry` and the lists of handlers name every feature; nothing else does. */
function isEntry(path: string): boolean {
  return path.startsWith('src/entry/') || path.startsWith('handlers/') || path.startsWith('src/web/app/')
}

function saying(word: RegExp, feature: string): number {
  const own = new RegExp(`^(?:src/features|handlers)/${feature}(?:es)?/`)
  return written.filter(({ path, text }) => !own.test(path) && word.test(path + text)).length
}

function portMembers(): number {
  const text = readFileSync(join(ROOT_PATH, 'src/sql/port.ts'), 'utf8')
  const body = /^export interface Sql \{\n(.*?)^\}/ms.exec(text)?.[1] ?? ''
  return body.split('\n').filter(line => /^ {2}(?:readonly )?\w+\??[:(]/.test(line)).length
}
