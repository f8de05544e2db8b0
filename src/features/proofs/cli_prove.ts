import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { badRequest } from '../../base/errors.ts'
import { openPart, reasonOf } from '../../runtime/node/files.ts'
import type { Invocation } from '../../cli/arguments/command.ts'
import { type Api, callJson } from '../../cli/service/api.ts'
import { call } from '../../cli/service/run.ts'
import { verifiedEntries } from './cli_entries.ts'
import type { AuditCheckpoint, Statement } from './models.ts'
import { seal } from './rules_dsse.ts'
import { pretty, safe } from '../../cli/terminal/text.ts'
import { type Signer, newKeys } from '../../rules/keys.ts'
import { readCheckpoint } from './rules_checkpoint.ts'
import { noteText, signNote } from './rules_note.ts'
import { readSignerFile } from '../../runtime/node/signer.ts'
import { writeNew } from '../../cli/files.ts'

/** What a bundle says it is; docs/project/audit-format.md says what follows. */
export const FORMAT = 'release-governance-audit/1'

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
  await writeLines(args[0]!, resolve(io.cwd, args[0]!), lines(opened, note, made))
  io.err(
    `svc: ${made.size} entries${signer === undefined && !made.signed ? '; the checkpoint is not signed' : ''}\n`,
  )
  return 0
}

async function* lines(api: Api, note: string, made: AuditCheckpoint): AsyncGenerator<string> {
  yield line({ format: FORMAT, checkpoint: note })
  for await (const { page } of verifiedEntries(api, made, { facts: true })) {
    yield page
      .map(({ log_seq, record_json, fact_text: fact }) =>
        line({ log_seq, entry: record_json, ...(fact == null ? {} : { fact }) }),
      )
      .join('')
  }
}

export function line(value: unknown): string {
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

/** Prints the attestation of a decision: signed here, or by the server, or as the bare statement. */
export async function attest(invocation: Invocation): Promise<number> {
  const { args, options, io, api } = invocation
  const artifacts = options.all('subject').map(subjectOf)
  const signer = await signerFor(invocation)
  const opened = await api()
  const path = { action_id: await actionId(args[0]!, opened) }
  const { statement, envelope } = await callJson(opened, 'GET /v1/actions/{action_id}/attestation', { path })
  const said: Statement = { ...statement, subject: [...statement.subject, ...artifacts] }
  const byServer = artifacts.length === 0 ? envelope : null
  const signed = signer === undefined ? byServer : await seal(JSON.stringify(said), signer)
  if (signed === null) io.err(NOT_SIGNED)
  io.out(pretty(signed ?? said))
  return 0
}

/** An artifact that was made of the bundle: who signs says so. */
function subjectOf(text: string): Statement['subject'][number] {
  const [, name, sha256] = /^(\S+)@sha256:([0-9a-f]{64})$/.exec(text) ?? []
  if (name === undefined || sha256 === undefined) {
    throw badRequest(`--subject must be NAME@sha256:DIGEST, as registries name an image (it is '${text}').`)
  }
  return { name, digest: { sha256 } }
}

/**
 * Prints a checkpoint. A signed one is the note and nothing else, so that `> FILE` is one that other verifiers open; a text
 * that nobody signed has an empty line behind it, which keeps it apart from the next one in a file.
 */
export async function checkpoint(invocation: Invocation): Promise<number> {
  const { options, io, api } = invocation
  const signer = await signerFor(invocation)
  const made = await callJson(await api(), 'GET /v1/audit/checkpoint')
  const note = await signedHere(made.note, signer)
  const signed = made.signed || signer !== undefined
  if (!signed) io.err(NOT_SIGNED)
  io.out(options.json ? pretty({ ...made, note, signed }) : signed ? note : `${note}\n`)
  return 0
}

/** Notes in the audit log that somebody has reviewed a forced action. */
export const review = call('POST /v1/actions/{action_id}/review', {
  takes: async ({ args, api }) => ({ action_id: await actionId(args[0]!, await api()) }),
  text: ({ action_id, audit_seq, review_id }) =>
    `reviewed ${safe(action_id)} (audit_seq ${audit_seq})  ${safe(review_id)}\n`,
})

/** The key of --sign, where it was given. */
export async function signerFor({
  options,
  io,
}: Pick<Invocation, 'options' | 'io'>): Promise<Signer | undefined> {
  const file = options.text('sign')
  if (file === undefined) return undefined
  return readSignerFile(file, io.cwd, text => io.err(`svc: warning: ${safe(text)}\n`))
}

/** A checkpoint that a service made, signed by the key instead, where there is one. Nothing else is ever signed so. */
export async function signedHere(note: string, signer: Signer | undefined): Promise<string> {
  if (signer === undefined) return note
  const text = noteText(note)
  const origin = readCheckpoint(text)?.origin
  if (origin === undefined) {
    throw badRequest("The service's answer is not a checkpoint: not signed.")
  }
  return signNote(text, origin, signer)
}

/** The note on a proof that nobody signed. */
const NOT_SIGNED = 'svc: not signed; sign it with --sign KEY or a server with SERVICE_SIGNING_KEY\n'

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

/** The action that was typed: an action_id as it is, or an audit_seq, which is what the history shows. Throws 400 for none. */
export async function actionId(typed: string, api: Api): Promise<string> {
  if (!/^[1-9]\d{0,14}$/.test(typed)) return typed
  const seq = Number(typed)
  const query = { after: seq + 1, limit: 1 }
  const { actions } = await callJson(api, 'GET /v1/actions', { query })
  const [action] = actions
  if (action?.audit_seq === seq) return action.action_id
  throw badRequest(`Unknown action: there is no audit_seq ${typed}`)
}
