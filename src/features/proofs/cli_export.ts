import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { badRequest } from '../../base/errors.ts'
import { openPart, reasonOf } from '../../runtime/node/files.ts'
import type { Invocation } from '../../cli/arguments/command.ts'
import { type Api, callJson } from '../../cli/service/api.ts'
import { actionId } from '../../cli/audit/action_id.ts'
import { entriesUpTo } from '../../cli/audit/entries.ts'
import { signedHere, signerFor } from './cli_signing.ts'

/** What a bundle says it is; docs/audit-format.md says what follows. */
const FORMAT = 'release-governance-audit/1'

/** Prints one decision with its proof: a bundle of one entry. */
export async function prove(invocation: Invocation): Promise<number> {
  const { args, io, api } = invocation
  const signer = await signerFor(invocation)
  const opened = await api()
  const path = { action_id: await actionId(args[0]!, opened) }
  const { note, log_seq, entry, fact, proof } = await callJson(opened, 'GET /v1/actions/{action_id}/proof', {
    path,
  })
  io.out(line({ format: FORMAT, checkpoint: await signedHere(note, signer) }))
  io.out(line({ log_seq, entry, fact, proof }))
  return 0
}

/** Writes the whole log to a file, or leaves what was there. */
export async function exportLog(invocation: Invocation): Promise<number> {
  const { args, io, api } = invocation
  const signer = await signerFor(invocation)
  const opened = await api()
  const made = await callJson(opened, 'GET /v1/audit/checkpoint')
  const note = await signedHere(made.note, signer)
  await writeLines(args[0]!, resolve(io.cwd, args[0]!), lines(opened, note, made.size))
  io.err(
    `svc: ${made.size} entries${signer === undefined && !made.signed ? '; the checkpoint is not signed' : ''}\n`,
  )
  return 0
}

async function* lines(api: Api, note: string, size: number): AsyncGenerator<string> {
  yield line({ format: FORMAT, checkpoint: note })
  let written = 0
  for await (const page of entriesUpTo(api, size, { facts: true })) {
    yield page
      .map(({ log_seq, record_json, fact_text: fact }) =>
        line({ log_seq, entry: record_json, ...(fact == null ? {} : { fact }) }),
      )
      .join('')
    written += page.length
  }
  if (written !== size) throw badRequest(`The service gave ${written} of the log's ${size} entries.`)
}

function line(value: unknown): string {
  return `${JSON.stringify(value)}\n`
}

async function writeLines(name: string, path: string, texts: AsyncGenerator<string>): Promise<void> {
  const part = `${path}.part`
  try {
    const file = await openPart(part)
    await pipeline(Readable.from(texts), createWriteStream('', { fd: file }))
    await rename(part, path)
  } catch (error) {
    await rm(part, { force: true })
    if ((error as NodeJS.ErrnoException).code === undefined) throw error
    throw badRequest(`${name} can't be written: ${reasonOf(error as NodeJS.ErrnoException)}.`, error)
  }
}
