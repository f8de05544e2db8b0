import { execFile, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { TestProject } from 'vitest/node'
import { ROOT_PATH } from '../../../src/runtime/root.ts'

/** What `npm pack` made of the checkout. */
export interface Packed {
  readonly file: string
  /** Unpacked size without dependencies, bytes. */
  readonly bytes: number
}

declare module 'vitest' {
  interface ProvidedContext {
    /** Answers with a {@link Packed}, as soon as there is one. */
    readonly packer: string
  }
}

/** Packs the checkout for all test files of a run together, when the first of them asks. Vitest calls it. */
export default async function startPacker(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-packed-'))
  let packed: Promise<Packed> | undefined
  const server = createServer((_, response) => void answer(response))
  async function answer(response: ServerResponse): Promise<void> {
    try {
      response.end(JSON.stringify(await (packed ??= pack(folder))))
    } catch (error) {
      response.writeHead(500).end(String(error))
    }
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  project.provide('packer', `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  return async () => {
    server.closeAllConnections()
    server.close()
    await packed?.catch(() => {})
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** Packs a copy, with all scripts that belong to it. */
async function pack(folder: string): Promise<Packed> {
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
