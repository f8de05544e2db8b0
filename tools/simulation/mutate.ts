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
    plant(mutant, join(folder, mutant.file))
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

/** Throws where the text is not in the file once: then the mutant has to be written anew. */
function plant({ name, file, text: original, instead }: Mutant, path: string): void {
  const parts = readFileSync(path, 'utf8').split(original)
  if (parts.length !== 2)
    throw new Error(`${name}: ${file} holds its text ${parts.length - 1} times, not once`)
  writeFileSync(path, parts.join(instead))
}
