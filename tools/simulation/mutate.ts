import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { ROOT_PATH } from '../../src/runtime/root.ts'
import type { Mutant } from './mutants.ts'

/** How a mutant was caught. */
export interface Caught {
  readonly steps: number
  readonly worlds: number
  readonly invariant: string
  readonly message: string
}

/** What a simulation of the sources is made of. */
const PARTS = [
  'src',
  'handlers',
  'migrations',
  'tools/simulation',
  'tools/proofs/simulation.ts',
  'package.json',
]

/** Runs worlds on a copy of the sources with the bug in it; undefined where none of them failed. */
export async function runMutant(mutant: Mutant, seed: number, steps: number): Promise<Caught | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-mutant-'))
  try {
    for (const part of PARTS) cpSync(join(ROOT_PATH, part), join(folder, part), { recursive: true })
    symlinkSync(join(ROOT_PATH, 'node_modules'), join(folder, 'node_modules'), 'junction')
    writeFileSync(join(folder, mutant.file), withMutant(mutant))
    const program = join(folder, 'tools/proofs/simulation.ts')
    const args = [program, '--seed', String(seed), '--steps', String(steps), '--json']
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    const [said, complained] = await Promise.all([text(child.stdout), text(child.stderr)])
    if (said === '') throw new Error(`${mutant.name}: ${complained}`)
    return (JSON.parse(said) as { caught: Caught | null }).caught ?? undefined
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The file with the bug in it. Throws where the text is not in it once: then the mutant has to be written anew. */
export function withMutant({ name, file, text: original, instead }: Mutant): string {
  const parts = readFileSync(join(ROOT_PATH, file), 'utf8').split(original)
  if (parts.length !== 2)
    throw new Error(`${name}: ${file} holds its text ${parts.length - 1} times, not once`)
  return parts.join(instead)
}
