import { badRequest } from '../../base/errors.ts'
import type { RouteAnswer } from '../../../handlers/index.ts'
import type { Outcome } from '../../models/answers/decision.ts'
import type { PolicyVerdict } from '../../models/documents/policy.ts'
import type { PromotionRequest } from '../../models/answers/promotion_request.ts'
import { missingText } from '../../rules/missing_evidence.ts'
import { type Api, readJson, toError } from '../service/api.ts'
import { EXIT, exitCode } from './exit_codes.ts'
import { releaseId } from './reference.ts'
import { noteOtherPlaces } from '../runs/elsewhere.ts'
import type { Invocation, Options } from '../arguments/command.ts'
import { type Io, painter, warn } from '../terminal/io.ts'
import { count, pretty, quoted, safe } from '../terminal/text.ts'

export function promote(invocation: Invocation): Promise<number> {
  return decide(invocation, 'POST /v1/promote')
}

export function rollback(invocation: Invocation): Promise<number> {
  return decide(invocation, 'POST /v1/rollback')
}

async function decide(
  { args, options, io, api }: Invocation,
  route: 'POST /v1/promote' | 'POST /v1/rollback',
): Promise<number> {
  const opened = await api()
  const outcome = await callDecision(opened, route, {
    release_id: await releaseId(args[0]!, opened, io, options.required('env')),
    environment: options.required('env'),
    window: windowOf(options),
    reason: options.required('reason'),
    ...(await expectedOf(options, opened, io)),
    ...(options.flag('force') === true ? { force: true } : {}),
    ...(options.flag('exclude-unusable') === true ? { exclude_unusable: true } : {}),
    ...(options.flag('dry-run') === true ? { dry_run: true } : {}),
    ...firstOf(options),
  })
  const code = printOutcome(outcome, options, io)
  if (outcome.forced !== true) {
    const { release_id, baseline_release_id, environment } = outcome
    await noteOtherPlaces([baseline_release_id ?? release_id, release_id], environment, opened, io)
  }
  return code
}

/** Nothing is judged by the window of what is forced, but every decision has one. */
function windowOf(options: Options): string {
  const window = options.text('window')
  if (window !== undefined) return window
  if (options.flag('force') !== true) throw badRequest('--window is required: how far back, such as 24h.')
  return '24h'
}

function firstOf(options: Options): { first?: true } {
  return options.flag('first') === true ? { first: true } : {}
}

/** What `--expect` says is live: a release, or `none`. */
export async function expectedOf(
  options: Options,
  api: Api,
  io: Io,
): Promise<{ expected_baseline_release_id?: string | null }> {
  const expected = options.text('expect')
  if (expected === undefined) return {}
  const id = expected === 'none' ? null : await releaseId(expected, api, io, options.text('env'))
  return { expected_baseline_release_id: id }
}

/** The outcome, whether it passed (200) or was blocked (409). Throws every other error. */
export async function callDecision<
  R extends 'POST /v1/promote' | 'POST /v1/rollback' | 'POST /v1/promote/confirm',
>(api: Api, route: R, body: Record<string, unknown>): Promise<RouteAnswer<R>> {
  const answer = await api.send(route, { body })
  const value = readJson(answer)
  if (answer.status === 409) return (value as { detail: { outcome: RouteAnswer<R> } }).detail.outcome
  if (answer.status >= 400) throw toError(answer.status, value)
  return value as RouteAnswer<R>
}

/** Prints an outcome and returns the exit code. */
export function printOutcome(outcome: Outcome, options: Options, io: Io): number {
  io.out(options.json ? pretty(outcome) : outcomeText(outcome, io))
  warn(outcome, io)
  warn(outcome.policy, io)
  if (outcome.watch_id !== undefined) {
    const place = `${quoted(outcome.agent_id)} --env ${quoted(outcome.environment)}`
    io.err(`svc: ${outcome.watch_id} watches it; \`svc release watch ${place} --follow\` shows how\n`)
  }
  return outcome.forced === true
    ? EXIT.pass
    : exitCode(outcome.policy, options.flag('detailed-exitcode') === true)
}

function outcomeText(outcome: Outcome, io: Io): string {
  const paint = painter(io)
  const { result, reasons, missing_evidence: missing } = outcome.policy
  const hasMoved = result !== 'blocked' && result !== 'not_yet'
  const [done, dryRun] = outcome.action === 'promote' ? ['PROMOTED', 'PROMOTE'] : ['ROLLED BACK', 'ROLL BACK']
  const isLive = outcome.release_id === outcome.baseline_release_id
  const verb =
    result === 'forced'
      ? paint('red', outcome.dry_run === true ? 'WOULD FORCE A ROLLBACK' : 'ROLLED BACK BY FORCE')
      : hasMoved
        ? paint('green', isLive ? 'UNCHANGED' : outcome.dry_run === true ? `WOULD ${dryRun}` : done)
        : result === 'not_yet'
          ? paint('red', 'NOT YET')
          : paint('red', outcome.dry_run === true ? 'WOULD BLOCK' : 'BLOCKED')
  const { baseline_release_id: baseline, baseline_version: version } = outcome
  const change = versionChange(outcome)
  const was =
    baseline === null
      ? 'nothing promoted before'
      : isLive
        ? 'already live'
        : `${change === undefined ? '' : `${change}, `}was ${baseline}`
  const stays =
    baseline === null ? 'nothing is promoted' : `stays ${version == null ? '' : `${version}, `}${baseline}`
  const pointer = `${safe(outcome.agent_id)} in ${safe(outcome.environment)}`
  const action = outcome.action_id === null ? 'nothing written' : outcome.action_id
  return [
    `${verb}  ${safe(outcome.release_id)}  ${pointer} (${safe(hasMoved ? was : stays)})  ${action}\n`,
    ...reasons.map(reason => `  - ${safe(reason)}\n`),
    ...(missing !== undefined
      ? [`  ${safe(missingText(missing))}\n`]
      : outcome.missing_for_high === undefined
        ? []
        : [highText(outcome.missing_for_high)]),
  ].join('')
}

interface Replacing {
  readonly release_id: string
  readonly version?: string | undefined
  readonly baseline_release_id: string | null
  readonly baseline_version?: string | null | undefined
}

/** Which version replaces which: `2.2.0 → 2.3.0`. Undefined where none does, or the service doesn't say. */
export function versionChange({
  release_id,
  version,
  baseline_release_id,
  baseline_version,
}: Replacing): string | undefined {
  if (version === undefined || baseline_version == null || release_id === baseline_release_id)
    return undefined
  return `${baseline_version} → ${version}`
}

function highText(missing: NonNullable<Outcome['missing_for_high']>): string {
  const needs = [
    ['baseline', missing.baseline_runs_needed] as const,
    ['candidate', missing.candidate_runs_needed] as const,
  ]
    .filter(([, runs]) => runs > 0)
    .map(([side, runs]) => `the ${side} needs ${count(runs)} more runs`)
  const window =
    missing.shortest_window === null
      ? 'no window has enough runs yet'
      : `--window ${missing.shortest_window} would have enough`
  return `  for HIGH confidence ${needs.join(' and ')}; ${window}\n`
}

export async function promoteRequest({ args, options, io, api }: Invocation): Promise<number> {
  const opened = await api()
  const environment = options.required('env')
  const release_id = await releaseId(args[0]!, opened, io, environment)
  const answer = await opened.send('POST /v1/promote/request', {
    body: {
      release_id,
      environment,
      window: options.required('window'),
      reason: options.required('reason'),
      ...(await expectedOf(options, opened, io)),
      ...firstOf(options),
    },
  })
  const value = readJson(answer)
  if (answer.status === 409) {
    const { message, policy } = (value as { detail: { message: string; policy: PolicyVerdict } }).detail
    io.out(pretty({ policy }))
    io.err(`svc: ${safe(message)}\n`)
    await noteOtherPlaces([release_id], environment, opened, io)
    return exitCode(policy, options.flag('detailed-exitcode') === true)
  }
  if (answer.status >= 400) throw toError(answer.status, value)
  const request = value as PromotionRequest
  const { request_id, policy } = request
  io.out(options.json ? pretty(request) : `request_id=${safe(request_id)}\n${pretty({ policy })}`)
  warn(policy, io)
  io.err(`svc: approve it with \`svc release approve ${safe(request_id)} --reason WHY\`\n`)
  return 0
}
