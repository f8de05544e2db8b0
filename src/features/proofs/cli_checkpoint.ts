import type { Invocation } from '../../cli/arguments/command.ts'
import { callJson } from '../../cli/service/api.ts'
import { pretty } from '../../cli/terminal/text.ts'
import { NOT_SIGNED, signedHere, signerFor } from './cli_signing.ts'

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
