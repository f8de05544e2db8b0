import { spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT_PATH } from '../../src/runtime/root.ts'
import type { Mutant } from './mutants.ts'
import type { Note, Plan } from './plan.ts'

export interface Asked {
  readonly mutants: readonly Mutant[]
  /** Files of tests, the first ones first. */
  readonly tests: readonly string[]
  readonly seed: number
  /** Where notes are kept: what is in them already isn't done again. */
  readonly folder: string
  readonly onDone?: (tests: string, alive: number) => void
}

export interface Outcome {
  readonly mutant: Mutant
  readonly state: 'killed' | 'timeout' | 'survived' | 'not covered'
  /** The test that killed it. */
  readonly by?: string
}

/** What a mutant that is on from the start has for one file of tests, ms. */
const ALWAYS_MOST_MS = 300_000

/** Files whose tests take longer are only run whole where no other one reaches the mutant, ms. */
const SLOW_FILE_MS = 5000

/** Tries all mutants, by one test file after the other. Throws where tests fail without any. */
export function runMutants(asked: Asked): readonly Outcome[] {
  mkdirSync(asked.folder, { recursive: true })
  for (const tests of asked.tests) {
    while (!readNotes(asked).some(note => note.kind === 'done' && note.tests === tests)) {
      const before = readNotes(asked).length
      runTests(asked, tests, null)
      const found = readNotes(asked).slice(before)
      const failed = found.find(note => note.kind === 'failed')
      if (failed !== undefined) throw new Error(`${tests} fails without a mutant: ${failed.message}`)
      if (found.length === 0) throw new Error(`${tests} did not run`)
    }
    asked.onDone?.(tests, aliveIn(asked).length)
  }
  for (const id of leftOver(asked)) runAlways(asked, id)
  return outcomes(asked)
}

/** Runs a file of tests; with a mutant that is always on, or trying all that live. */
function runTests(asked: Asked, tests: string, always: number | null): boolean {
  const { mutants, seed } = asked
  const ids = always === null ? aliveIn(asked) : [always]
  const numbered = ids.map(id => ({ id, ...mutants[id]! }))
  const plan: Plan = {
    root: ROOT_PATH,
    tests,
    size: mutants.length,
    mutants: Object.fromEntries(Map.groupBy(numbered, ({ file }) => file)),
    always,
    seed,
    notes: notesOf(asked),
  }
  const file = join(asked.folder, 'plan.json')
  writeFileSync(file, JSON.stringify(plan))
  const { status, error, stderr, stdout } = spawnSync(
    'vitest',
    ['run', '--config', 'tools/mutation/vitest.config.ts', '--reporter', 'dot', tests],
    {
      cwd: ROOT_PATH,
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
      // Tests run in short, also where this is a proof.
      env: { ...process.env, MUTATION_PLAN: file, NO_COLOR: '1', PROVE: undefined },
      ...(always === null ? {} : { timeout: ALWAYS_MOST_MS, killSignal: 'SIGKILL' as const }),
    },
  )
  writeFileSync(join(asked.folder, 'said.txt'), `${stdout}${stderr}${String(error)}`)
  return status === 0
}

/** One mutant from the first import on: the first file of tests that fails kills it. */
function runAlways(asked: Asked, id: number): void {
  for (const tests of wholeTestsOf(asked, id)) {
    const before = readNotes(asked).length
    if (runTests(asked, tests, id)) continue
    const failed = readNotes(asked)
      .slice(before)
      .find(note => note.kind === 'failed')
    add(asked, { kind: failed === undefined ? 'timeout' : 'killed', id, by: tests })
    return
  }
  add(asked, { kind: 'tried', id })
}

/** Those that no test could try while it ran. */
function leftOver(asked: Asked): readonly number[] {
  const [alive, notes] = [new Set(aliveIn(asked)), readNotes(asked)]
  for (const note of notes) if (note.kind === 'tried') alive.delete(note.id)
  const ids = new Set(notes.flatMap(note => (note.kind === 'whole' ? note.id : [])))
  return [...ids].filter(id => alive.has(id)).toSorted((a, b) => a - b)
}

function wholeTestsOf(asked: Asked, id: number): readonly string[] {
  const notes = readNotes(asked)
  const reaching = new Set(notes.flatMap(note => (note.kind === 'whole' && note.id === id ? note.tests : [])))
  const quick = new Set(
    notes.flatMap(note => (note.kind === 'done' && note.tookMs <= SLOW_FILE_MS ? note.tests : [])),
  )
  const files = asked.tests.filter(tests => reaching.has(tests))
  const quickFiles = files.filter(tests => quick.has(tests))
  return quickFiles.length > 0 ? quickFiles : files
}

function outcomes(asked: Asked): readonly Outcome[] {
  const notes = readNotes(asked)
  return asked.mutants.map((mutant, index) => {
    const of = notes.filter(note => 'id' in note && note.id === index)
    const killed = of.find(note => note.kind === 'killed' || note.kind === 'timeout')
    if (killed !== undefined && 'by' in killed) return { mutant, state: killed.kind, by: killed.by }
    return { mutant, state: of.length === 0 ? 'not covered' : 'survived' }
  })
}

function aliveIn(asked: Asked): readonly number[] {
  const dead = new Set(
    readNotes(asked).flatMap(note => (note.kind === 'killed' || note.kind === 'timeout' ? note.id : [])),
  )
  return asked.mutants.map((_, id) => id).filter(id => !dead.has(id))
}

function add(asked: Asked, note: Note): void {
  appendFileSync(notesOf(asked), `${JSON.stringify(note)}\n`)
}

function readNotes(asked: Asked): readonly Note[] {
  const file = notesOf(asked)
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1)
  return lines.map(line => JSON.parse(line) as Note)
}

function notesOf({ folder }: Asked): string {
  return join(folder, 'notes.jsonl')
}
