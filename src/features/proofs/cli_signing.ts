import { badRequest } from '../../base/errors.ts'
import type { Signer } from '../../rules/keys.ts'
import { readCheckpoint } from './rules_checkpoint.ts'
import { noteText, signNote } from './rules_note.ts'
import { readSignerFile } from '../../runtime/node/signer.ts'
import type { Invocation } from '../../cli/arguments/command.ts'
import { safe } from '../../cli/terminal/text.ts'

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
  const checkpoint = readCheckpoint(text)
  if (checkpoint === undefined)
    throw badRequest('The service answered with what is no checkpoint: not signed.')
  return signNote(text, checkpoint.origin, signer)
}

/** What is said beside a proof that nobody signed. */
export const NOT_SIGNED = 'svc: not signed: --sign KEY or a server with SERVICE_SIGNING_KEY does that\n'
