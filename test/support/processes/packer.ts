import { execFile, execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ROOT_PATH } from '../../../src/runtime/root.ts'

/** What `npm pack` made of the checkout. */
export interface Packed {
  readonly file: string
  /** Unpacked size without dependencies, bytes. */
  readonly bytes: number
}

/** Packs a copy, with all scripts that belong to it. */
export async function pack(folder: string): Promise<Packed> {
  const { stdout } = await promisify(execFile)('npm', ['pack', '--json', '--pack-destination', folder], {
    cwd: copyCheckoutTo(folder),
    maxBuffer: 100_000_000,
  })
  const [{ filename, unpackedSize }] = JSON.parse(stdout.slice(stdout.indexOf('[\n'))) as [
    { filename: string; unpackedSize: number },
  ]
  return { file: join(folder, filename), bytes: unpackedSize }
}

/** A copy of the checkout with what is installed, but nothing that was built, in this folder. */
export function copyCheckoutTo(folder: string): string {
  const copy = join(folder, 'checkout')
  mkdirSync(copy)
  for (const file of checkoutFiles()) cpSync(join(ROOT_PATH, file), join(copy, file))
  symlinkSync(join(ROOT_PATH, 'node_modules'), join(copy, 'node_modules'))
  return copy
}

/** What is in the repository, and what is about to be. */
function checkoutFiles(): string[] {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], {
    cwd: ROOT_PATH,
    encoding: 'utf8',
  })
  return listed
    .split('\0')
    .filter(file => file !== '' && file !== 'node_modules' && existsSync(join(ROOT_PATH, file)))
}
