import { resolve } from 'node:path'
import { badRequest } from '../../base/errors.ts'
import { newKeys } from '../../rules/keys.ts'
import { reasonOf } from '../../runtime/node/files.ts'
import type { Invocation } from '../../cli/arguments/command.ts'
import { writeNew } from '../../cli/files.ts'

/** Makes a pair of keys. A file that is there already is kept: a key that is lost signs nothing any more. */
export async function keygen({ args, io }: Invocation): Promise<number> {
  const { privatePem, publicPem } = await newKeys()
  const path = args[0]!
  await make(path, io.cwd, privatePem, 0o600)
  await make(`${path}.pub`, io.cwd, publicPem, 0o644)
  io.out(publicPem)
  return 0
}

async function make(name: string, cwd: string, pem: string, mode: number): Promise<void> {
  try {
    await writeNew(resolve(cwd, name), pem, mode)
  } catch (error) {
    throw badRequest(`${name} can't be written: ${reasonOf(error as NodeJS.ErrnoException)}.`, error)
  }
}
