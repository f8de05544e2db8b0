import { limitsInWords, looseLimits } from '../../rules/limit_words.ts'
import { DEFAULT_POLICY } from '../../rules/scope.ts'
import type { Policy } from '../../models/documents/policy.ts'
import { callJson, goodJson, warningsIn } from '../service/api.ts'
import { readModel } from '../files.ts'
import { type Io, warn } from '../terminal/io.ts'
import type { Invocation } from '../arguments/command.ts'
import { pretty, safe } from '../terminal/text.ts'

export async function set({ args, options, io, api }: Invocation): Promise<number> {
  const body = (await readModel(args[0]!, io, 'Policy')) as Record<string, unknown>
  const opened = await api()
  const answer = await opened.send('PUT /v1/policy', {
    query: { reason: options.text('reason') },
    body,
  })
  const policy = goodJson<Policy>(answer)
  warn(warningsIn(answer), io)
  const limits = limitsInWords(policy)
  io.out(
    options.json ? pretty(policy) : `policy ${safe(policy.policy_id)} is in force\n${limitLines(limits)}`,
  )
  sayWhereNone(limits, io)
  return 0
}

function sayWhereNone(limits: readonly string[], io: Io): void {
  if (limits.length === 0)
    io.err('svc: it sets no limit; `svc policy template` prints a policy with limits\n')
}

/** What a policy lets through, a line per limit. */
function limitLines(limits: readonly string[]): string {
  return limits.map(text => `  ${safe(text)}\n`).join('')
}

/** Says whether a policy can be put in force; needs no ledger. */
export async function validate({ args, options, io }: Invocation): Promise<number> {
  const document = (await readModel(args[0]!, io, 'Policy')) as Partial<Policy>
  const policy = { ...DEFAULT_POLICY, ...document }
  const [limits, warnings] = [limitsInWords(policy), looseLimits(policy)]
  const facts = { valid: true, policy, limits, ...(warnings.length === 0 ? {} : { warnings }) }
  io.out(options.json ? pretty(facts) : `ok policy ${safe(policy.policy_id)}\n${limitLines(limits)}`)
  warn({ warnings }, io)
  sayWhereNone(limits, io)
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
