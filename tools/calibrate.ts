import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ROOT_PATH } from '../src/runtime/root.ts'
import type { Section } from './calibration/effort.ts'
import { PICTURES } from './calibration/pictures.ts'
import { SECTIONS } from './calibration/sections.ts'

const SEED = 20_250_101
const REPS = 10_000

const usage = `npm run calibrate -- [--reps N] [--seed S] [--only ${Object.keys(SECTIONS).join(',')}]`

const { values } = parseArgs({
  options: { reps: { type: 'string' }, seed: { type: 'string' }, only: { type: 'string' } },
})
const effort = { reps: Number(values.reps ?? REPS), seed: Number(values.seed ?? SEED) }
const names = values.only?.split(',') ?? Object.keys(SECTIONS)
const isKnown = names.every(name => Object.hasOwn(SECTIONS, name))
if (!isKnown || !Number.isSafeInteger(effort.reps) || effort.reps < 1 || !Number.isSafeInteger(effort.seed)) {
  process.stderr.write(`${usage}\n`)
  process.exit(1)
}

const sections: Section[] = []
for (const name of names) {
  const startedAt = performance.now()
  const section = SECTIONS[name]!(effort)
  sections.push(section)
  process.stderr.write(`${name} took ${Math.round((performance.now() - startedAt) / 1000)} s\n`)
  if (values.only !== undefined) process.stdout.write(`${section.text}\n\n`)
}
// A part of the report, or one of other repetitions, is to be read only.
if (values.only === undefined && effort.reps === REPS) writeReport(sections)
else if (values.only === undefined) process.stdout.write(reportOf(sections))

function writeReport(parts: readonly Section[]): void {
  const images = join(ROOT_PATH, 'docs', 'images')
  mkdirSync(images, { recursive: true })
  const plots = parts.flatMap(({ plots: own = {} }) => Object.entries(own))
  const pictures = Object.entries(PICTURES).map(([name, draw]) => [name, draw()] as const)
  for (const [name, svg] of [...pictures, ...plots]) {
    writeFileSync(join(images, name), svg)
  }
  writeFileSync(join(ROOT_PATH, 'docs', 'decisions-quality.md'), reportOf(parts))
}

function reportOf(parts: readonly Section[]): string {
  return `# How good the decisions are

Made by \`npm run calibrate\`, which simulates traffic and asks the code that is shipped; the same seed (${effort.seed}) gives the
same figures. What the words mean is in [Statistics](statistics.md).

Traffic: *normal* with a coefficient of variation of 0.3; *log-normal* with σ 1 (coefficient of variation 1.31); *zeros*: 30 %
of the runs 0, the others log-normal with σ 0.7; *sessions*: log-normal with σ 0.7, 5 runs on average, correlation 0.2 within a
session; *tail*: log-normal with σ 0.7, where a change comes from 5 % of the runs. A side's mean is 10,000 units. Both sides run
at the same times and are compared over the window, in 24 blocks, but where a table says otherwise.

${parts.map(({ text }) => text).join('\n\n')}
`
}
