import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ROOT_PATH } from '../../../src/runtime/root.ts'
import { type Entry, differences, without } from './compare.ts'
import { documents } from './documents.ts'
import { readCorpus, writeCorpus } from './fixture.ts'

/** Test files that ask, by what answers them. Those of commands that are about processes have no answers to compare. */
const ASKING: Readonly<Record<string, readonly string[]>> = {
  documents: [],
  sample: ['test/conformance/runners/corpus'],
  sqlite: ['test/conformance/runners/node_sqlite', 'test/conformance/runners/socket_sqlite'],
  postgres: ['test/conformance/runners/node_postgres'],
  commands: [
    'test/cli',
    ...[
      'slips',
      'service/hostile',
      'service/node_version',
      'terminal/st',
      'runs/stopping',
      'workspace/serve',
    ].map(name => `--exclude=test/cli/${name}**`),
  ],
}

// npm run prove -- corpus [--record] [--renamed OLD=NEW]... [documents|sample|sqlite|postgres|commands]...
const { values, positionals } = parseArgs({
  args: process.argv.slice(2),
  options: { record: { type: 'boolean' }, renamed: { type: 'string', multiple: true, default: [] } },
  allowPositionals: true,
})
const sources = positionals.length > 0 ? positionals : Object.keys(ASKING)
for (const name of sources) {
  if (ASKING[name] === undefined)
    throw new Error(`No source ${name}: choose from ${Object.keys(ASKING).join(', ')}`)
}

if (values.record === true) await record()
else await compare()

/** Records what two runs answer alike, and which questions they don't. */
async function record(): Promise<void> {
  const [first, second] = [await answers(), await answers()]
  const alike = new Set([...first].filter(entry => second.has(entry)))
  const varying = new Set([...first, ...second].filter(entry => !alike.has(entry)).map(questionOf))
  const others = [...readCorpus()].filter(entry => !isOfSources(entry))
  const bytes = writeCorpus(new Set([...others, ...alike, ...varying]))
  say(`recorded ${countsOf(alike)}`)
  say(`left out where two runs differ: ${countsOf(varying) || 'nothing'}`)
  say(`${Math.round(bytes / 1000)} kB`)
}

/** Compares. What differs has to do so twice: some answers depend on what runs at the same time. */
async function compare(): Promise<void> {
  const recorded = new Set([...readCorpus()].filter(isOfSources).map(withNewNames))
  const was = new Set([...recorded].filter(entry => entry !== questionOf(entry)))
  const isSteady = (entry: string): boolean => was.has(entry) || !recorded.has(questionOf(entry))
  const steadyAnswers = async () => new Set([...(await answers())].filter(isSteady))
  const first = await steadyAnswers()
  const isSame = without(was, first).size + without(first, was).size === 0
  const second = isSame ? first : await steadyAnswers()
  const isSeen = (entry: string): boolean =>
    was.has(entry) ? first.has(entry) || second.has(entry) : first.has(entry) && second.has(entry)
  const found = differences(was, new Set([...was, ...first].filter(isSeen)))
  for (const { kind, questions, ...texts } of found) {
    say(`\n${kind}: ${questions[0]}${questions.length === 1 ? '' : ` and ${questions.length - 1} more`}`)
    if (texts.was !== undefined) say(`  - ${texts.was.replaceAll('\n', '\n    ')}`)
    if (texts.now !== undefined) say(`  + ${texts.now.replaceAll('\n', '\n    ')}`)
  }
  say(`\ncompared ${countsOf(first)}: ${found.length} kinds of differences`)
  if (found.length > 0 || was.size === 0) process.exitCode = 1
}

async function answers(): Promise<Set<string>> {
  const all = new Set<string>()
  for (const source of sources) {
    const found = source === 'documents' ? await documents() : answersOf(source, ASKING[source]!)
    for (const entry of found) all.add(entry)
  }
  return all
}

/** Runs tests that record what they are answered. */
function answersOf(source: string, files: readonly string[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'corpus-'))
  try {
    const { PROVE: _, ...env } = process.env
    const { status } = spawnSync('vitest', ['run', '--reporter=dot', ...files], {
      cwd: ROOT_PATH,
      stdio: 'inherit',
      env: { ...env, CORPUS_FOLDER: folder },
    })
    if (status === null) throw new Error(`The tests of ${source} were ended, so answers are missing.`)
    if (status !== 0) process.exitCode = 1
    const lines = readdirSync(folder).flatMap(name => readFileSync(join(folder, name), 'utf8').split('\n'))
    return lines.filter(Boolean).map(line => `["${source}",${line.slice(1)}`)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Names whole words of a recorded answer as they are named now. */
function withNewNames(entry: string): string {
  return values.renamed
    .map(pair => pair.split('=') as [string, string])
    .reduce((text, [from, to]) => text.replaceAll(new RegExp(`\\b${from}\\b`, 'g'), to), entry)
}

function countsOf(entries: ReadonlySet<string>): string {
  const kinds = Map.groupBy(entries, entry => (JSON.parse(entry) as Entry).slice(0, 2).join(' '))
  return [...kinds].map(([kind, { length }]) => `${length} ${kind}`).join(', ')
}

function isOfSources(entry: string): boolean {
  return sources.includes((JSON.parse(entry) as Entry)[0])
}

function questionOf(entry: string): string {
  return JSON.stringify((JSON.parse(entry) as Entry).slice(0, 3))
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
