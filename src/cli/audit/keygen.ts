import { open, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { badRequest } from '../../base/errors.ts'
import { newKeys } from '../../rules/proofs/keys.ts'
import { reasonOf } from '../../runtime/node/files.ts'
import type { Invocation } from '../arguments/command.ts'

/** Makes a pair of keys. A file that is there already is kept: a key that is lost signs nothing any more. */
export async function keygen({ args, io }: Invocation): Promise<number> {
  const { privatePem, publicPem } = await newKeys()
  const path = args[0]!
  await writeNew(path, io.cwd, privatePem, 0o600)
  await writeNew(`${path}.pub`, io.cwd, publicPem, 0o644)
  io.out(publicPem)
  return 0
}

async function writeNew(name: string, cwd: string, text: string, mode: number): Promise<void> {
  try {
    const path = resolve(cwd, name)
    const file = await open(path, 'wx', mode)
    try {
      await file.writeFile(text)
      await file.sync()
    } catch (error) {
      // Half a key, or nothing, would be kept as one is.
      await rm(path, { force: true })
      throw error
    } finally {
      await file.close()
    }
  } catch (error) {
    throw badRequest(`${name} can't be written: ${reasonOf(error as NodeJS.ErrnoException)}.`, error)
  }
}
