import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ROOT_PATH } from '../src/runtime/root.ts'
import { type Section, isKept } from './calibration/effort.ts'
import { SECTIONS } from './calibration/sections.ts'

const SEED = 20_250_101
const REPS = 10_000

const usage = `npm run calibrate -- [--reps N] [--seed S] [--kept FILE] [PART …], with PART one of ${Object.keys(SECTIONS).join(', ')}`

const { values, positionals } = parseArgs({
  options: { reps: { type: 'string' }, seed: { type: 'string' }, kept: { type: 'string' } },
  allowPositionals: true,
})
const effort = { reps: Number(values.reps ?? REPS), seed: Number(values.seed ?? SEED), kept: values.kept }
const isWhole = positionals.length === 0
const names = isWhole ? Object.keys(SECTIONS) : positionals
const isKnown = names.every(name => Object.hasOwn(SECTIONS, name))
if (!isKnown || !Number.isSafeInteger(effort.reps) || effort.reps < 1 || !Number.isSafeInteger(effort.seed)) {
  process.stderr.write(`${usage}\n`)
  process.exit(1)
}

const sections: Section[] = []
for (const name of names) {
  const startedAt = performance.now()
  const section = await SECTIONS[name]!(effort)
  sections.push(section)
  process.stderr.write(`${name} took ${Math.round((performance.now() - startedAt) / 1000)} s\n`)
  if (!isWhole) process.stdout.write(`${section.text}\n\n`)
}
const bounds = sections.flatMap(section => section.bounds ?? [])
// Fewer repetitions say too little of a share.
const wrong = effort.reps < REPS / 2 ? [] : bounds.filter(bound => !isKept(bound))
for (const { of, share, atLeast, atMost } of wrong) {
  const bound = atLeast === undefined ? `at most ${atMost}` : `at least ${atLeast}`
  process.stderr.write(`${of}: ${share.toFixed(4)}, where ${bound} is claimed\n`)
}
// What breaks a claim is not published.
if (wrong.length > 0) process.exit(1)
const docs = join(ROOT_PATH, 'docs')
const report = join(docs, 'project', 'decisions-quality.md')
// Of other repetitions it is to be read only.
if (effort.reps === REPS) {
  writePlots(sections)
  writeFileSync(report, isWhole ? reportOf(sections) : withParts(readFileSync(report, 'utf8'), sections))
} else if (isWhole) {
  process.stdout.write(reportOf(sections))
}

/** Replaces parts of the report, each by its heading; a new part becomes the last but one. */
function withParts(before: string, rewritten: readonly Section[]): string {
  const parts = before.trimEnd().split(/\n\n(?=## )/)
  for (const { text } of rewritten) {
    const at = parts.findIndex(part => headingOf(part) === headingOf(text))
    if (at < 0) parts.splice(-1, 0, text.trimEnd())
    else parts[at] = text.trimEnd()
  }
  return `${parts.join('\n\n')}\n`
}

function headingOf(text: string): string {
  return text.slice(0, text.indexOf('\n'))
}

function writePlots(parts: readonly Section[]): void {
  const images = join(docs, 'images')
  mkdirSync(images, { recursive: true })
  const plots = parts.flatMap(({ plots: own = {} }) => Object.entries(own))
  for (const [name, svg] of plots) writeFileSync(join(images, name), svg)
}

function reportOf(parts: readonly Section[]): string {
  return `# How good the decisions are

Made by \`npm run calibrate\`, which simulates traffic and asks the code that is shipped; the same seed (${effort.seed}) gives the
same figures. It fails where a method keeps less than it claims. What the words mean is in [Compare](../compare.md).

Traffic: *normal* with a coefficient of variation of 0.3; *log-normal* with σ 1 (coefficient of variation 1.31); *zeros*: 30 %
of the runs 0, the others log-normal with σ 0.7; *sessions*: log-normal with σ 0.7, 5 runs on average, correlation 0.2 within a
session; *tail*: log-normal with σ 0.7, where a change comes from 5 % of the runs. A side's mean is 10,000 units. Both sides run
at the same times and are compared over the window, in 24 blocks, but where a table says otherwise.

${parts.map(({ text }) => text).join('\n\n')}
`
}
