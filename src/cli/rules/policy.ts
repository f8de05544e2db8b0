import type { Problem } from '../../models/problems.ts'
import type { Policy } from '../../models/documents/policy.ts'
import { DEFAULT_POLICY } from '../../rules/policy.ts'
import { similarNames } from '../../base/similar.ts'
import { callJson } from '../service/api.ts'
import { readModel } from '../files.ts'
import type { Invocation } from '../arguments/command.ts'
import { pretty, safe } from '../terminal/text.ts'

export async function set({ args, io, api }: Invocation): Promise<number> {
  const body = (await readModel(args[0]!, io.cwd, 'Policy', nameHint)) as Record<string, unknown>
  const policy = await callJson<Policy>(await api(), 'PUT /v1/policy', { body })
  io.out(`policy ${safe(policy.policy_id)} is in force\n`)
  return 0
}

function nameHint(problems: readonly Problem[]): string {
  const unknown = problems.find(({ message }) => message === 'is not a known field')?.path[0]
  const [meant] = unknown === undefined ? [] : similarNames(String(unknown), Object.keys(DEFAULT_POLICY), 1)
  return meant === undefined ? '' : ` (did you mean ${meant}?)`
}

export async function show({ io, api }: Invocation): Promise<number> {
  io.out(pretty(await callJson(await api(), 'GET /v1/policy')))
  return 0
}
