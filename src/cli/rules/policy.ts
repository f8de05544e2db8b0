import { DEFAULT_POLICY } from '../../rules/policy.ts'
import type { Policy } from '../../models/documents/policy.ts'
import { callJson } from '../service/api.ts'
import { readModel } from '../files.ts'
import type { Invocation } from '../arguments/command.ts'
import { pretty, safe } from '../terminal/text.ts'

export async function set({ args, options, io, api }: Invocation): Promise<number> {
  const body = (await readModel(args[0]!, io.cwd, 'Policy')) as Record<string, unknown>
  const policy = await callJson<Policy>(await api(), 'PUT /v1/policy', {
    query: { reason: options.text('reason') },
    body,
  })
  io.out(options.json ? pretty(policy) : `policy ${safe(policy.policy_id)} is in force\n`)
  return 0
}

/** Says whether a policy can be put in force; needs no ledger. */
export async function validate({ args, options, io }: Invocation): Promise<number> {
  const document = (await readModel(args[0]!, io.cwd, 'Policy')) as Partial<Policy>
  const policy = { ...DEFAULT_POLICY, ...document }
  io.out(options.json ? pretty({ valid: true, policy }) : `ok policy ${safe(policy.policy_id)}\n`)
  return 0
}

export async function show({ io, api }: Invocation): Promise<number> {
  io.out(pretty(await callJson(await api(), 'GET /v1/policy')))
  return 0
}
