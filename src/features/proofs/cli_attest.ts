import { badRequest } from '../../base/errors.ts'
import type { Statement } from './models.ts'
import { seal } from './rules_dsse.ts'
import type { Invocation } from '../../cli/arguments/command.ts'
import { actionId } from '../../cli/audit/action_id.ts'
import { NOT_SIGNED, signerFor } from './cli_signing.ts'
import { callJson } from '../../cli/service/api.ts'
import { pretty } from '../../cli/terminal/text.ts'

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
