import type { Signer } from '../../rules/proofs/keys.ts'
import { readNote, signNote } from '../../rules/proofs/note.ts'
import { readSignerFile } from '../../runtime/node/signing.ts'
import type { Invocation } from '../arguments/command.ts'
import { safe } from '../terminal/text.ts'

/** The key of --sign, where it was given. */
export async function signerFor({
  options,
  io,
}: Pick<Invocation, 'options' | 'io'>): Promise<Signer | undefined> {
  const file = options.text('sign')
  if (file === undefined) return undefined
  return readSignerFile(file, io.cwd, text => io.err(`svc: warning: ${safe(text)}\n`))
}

/** A checkpoint that a service made, signed by the key instead, where there is one. */
export async function signedHere(note: string, origin: string, signer: Signer | undefined): Promise<string> {
  return signer === undefined ? note : signNote(readNote(note)?.text ?? note, origin, signer)
}
