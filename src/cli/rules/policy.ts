import { DEFAULT_POLICY } from '../../rules/policy.ts'
import type { Policy } from '../../models/documents/policy.ts'
import { callJson, goodJson } from '../service/api.ts'
import { readModel } from '../files.ts'
import type { Invocation } from '../arguments/command.ts'
import { pretty, safe } from '../terminal/text.ts'

export async function set({ args, options, io, api }: Invocation): Promise<number> {
  const body = (await readModel(args[0]!, io.cwd, 'Policy')) as Record<string, unknown>
  const opened = await api()
  const answer = await opened.send('PUT /v1/policy', {
    query: { reason: options.text('reason') },
    body,
  })
  const policy = goodJson<Policy>(answer)
  const warning = answer.headers.get('x-service-warning')
  if (warning !== null) io.err(`svc: warning: ${safe(warning)}\n`)
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

export async function show({ options, io, api }: Invocation): Promise<number> {
  const place = { agent_id: options.text('agent'), environment: options.text('env') }
  const isPlace = Object.values(place).some(value => value !== undefined)
  const opened = await api()
  io.out(
    pretty(
      isPlace
        ? await callJson(opened, 'GET /v1/policy/resolved', { query: place })
        : await callJson(opened, 'GET /v1/policy'),
    ),
  )
  return 0
}
