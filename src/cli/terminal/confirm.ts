import { createInterface } from 'node:readline/promises'
import { badRequest } from '../../base/errors.ts'
import type { Io } from './io.ts'

/** Asks at a terminal. Throws 400 where there is none to ask. */
export async function confirmed(question: string, { stdin, err }: Io): Promise<boolean> {
  if ((stdin as Partial<NodeJS.ReadStream>).isTTY !== true) {
    throw badRequest('There is no terminal to confirm this at; add --yes.')
  }
  err(`${question} [y/N] `)
  const reader = createInterface({ input: stdin })
  const line = await Promise.race([
    new Promise<string>(resolve => reader.once('line', resolve)),
    new Promise<string>(resolve => reader.once('close', () => resolve(''))),
  ])
  reader.close()
  return /^y(?:es)?$/i.test(line.trim())
}
