import type { Rollout, RolloutRequest } from './models.ts'
import { type Api, callJson } from '../../cli/service/api.ts'
import type { Invocation, PlaceNote, StatusLine } from '../../cli/arguments/command.ts'
import { expectedOf } from '../../cli/release/decisions.ts'
import { warn } from '../../cli/terminal/io.ts'
import { releaseId } from '../../cli/release/reference.ts'
import { onStop } from '../../cli/terminal/stop.ts'
import { type Column, listing, timeColumn } from '../../cli/terminal/table.ts'
import { pretty } from '../../cli/terminal/text.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { changedText, rolloutText, startedText } from './cli_text.ts'
import { isOpen, splitText } from './rules_sentence.ts'
import { shareText } from '../../base/text.ts'

/** Begins a rollout, or with --dry-run says what it would be. */
export async function start(invocation: Invocation): Promise<number> {
  const { options, io, api } = invocation
  const opened = await api()
  const dry_run = options.flag('dry-run')
  const body = { ...(await asked(invocation, opened)), dry_run }
  const started = await callJson(opened, 'POST /v1/rollouts', { body })
  io.out(options.json ? pretty(started) : startedText(started))
  if (!options.json && dry_run !== true && opened.here !== undefined) {
    io.err('svc: a running `svc serve` on this ledger checks it, or `svc release rollout show --follow`\n')
  }
  return 0
}

async function asked({ args, options, io }: Invocation, api: Api) {
  return {
    release_id: await releaseId(args[0]!, api, io, options.required('env')),
    environment: options.required('env'),
    steps: options.text('steps'),
    by: options.text('by'),
    max_duration: options.text('max-duration'),
    hold: options.text('hold'),
    hold_for: options.text('hold-for'),
    reason: options.required('reason'),
    ...(await expectedOf(options, api, io)),
  }
}

const COLUMNS: readonly Column<Rollout>[] = [
  { heading: 'rollout', cell: row => row.rollout_id, whole: true, rank: 0 },
  { heading: 'state', cell: row => row.state, whole: true, rank: 1 },
  { heading: 'share', cell: row => (row.share === null ? null : shareText(row.share)), right: true, rank: 2 },
  { heading: 'agent', cell: row => row.agent_id, rank: 5 },
  { heading: 'env', cell: row => row.environment, rank: 4 },
  { heading: 'candidate', cell: row => row.candidate_release_id, whole: true, rank: 3 },
  timeColumn('since', row => row.started_at, { rank: 7 }),
  { heading: 'because', cell: row => row.because, rank: 6 },
]

/** As many as the service gives at once. */
const MOST = 500

export async function list({ options, io, api }: Invocation): Promise<number> {
  const query = {
    agent: options.text('agent'),
    env: options.text('env'),
    state: options.text('state'),
    limit: MOST,
  }
  const { rollouts } = await callJson(await api(), 'GET /v1/rollouts', { query })
  io.out(options.json ? pretty({ rollouts }) : listing(COLUMNS, rollouts, io))
  if (rollouts.length === 0 && !options.json) {
    io.err('svc: no rollouts; `svc release rollout start` begins one\n')
  }
  if (rollouts.length === MOST) io.err(`svc: these are the newest ${MOST}; older ones are not shown\n`)
  return 0
}

/** How often it is asked for, ms. */
const POLL_MS = 3000

/** Shows a rollout, and with --follow after each check until it ends. Where the ledger is here, it checks itself. */
export async function show({ args, options, io, api }: Invocation): Promise<number> {
  const opened = await api()
  const path = { rollout_id: args[0]! }
  const follows = options.flag('follow') === true
  const stop = onStop()
  try {
    for (let shown = ''; ;) {
      if (follows) await opened.here?.(async services => (await import('./jobs.ts')).checkOnce(services))
      const rollout = await callJson(opened, 'GET /v1/rollouts/{rollout_id}', { path })
      const text = options.json ? pretty(rollout) : rolloutText(rollout, io, Date.now())
      if (text !== shown) io.out(shown === '' || options.json ? text : `\n${text}`)
      shown = text
      if (!follows || !isOpen(rollout)) return 0
      await sleep(POLL_MS, undefined, { signal: stop.signal }).catch(() => {})
      if (stop.signal.aborted) {
        io.err(`svc: ${rollout.rollout_id} goes on\n`)
        return stop.exitCode()
      }
    }
  } finally {
    stop.release()
  }
}

export const pause = changing('POST /v1/rollouts/{rollout_id}/pause')
export const resume = changing('POST /v1/rollouts/{rollout_id}/resume')
export const abort = changing('POST /v1/rollouts/{rollout_id}/abort')

function changing(route: `POST /v1/rollouts/{rollout_id}/${'pause' | 'resume' | 'abort'}`) {
  return async function change({ args, options, io, api }: Invocation): Promise<number> {
    const rollout = await callJson(await api(), route, {
      path: { rollout_id: args[0]! },
      body: { reason: options.required('reason') },
    })
    io.out(options.json ? pretty(rollout) : changedText(rollout))
    return 0
  }
}

export async function request(invocation: Invocation): Promise<number> {
  const { options, io, api } = invocation
  const opened = await api()
  const made = await callJson(opened, 'POST /v1/rollouts/request', { body: await asked(invocation, opened) })
  io.out(options.json ? pretty(made) : `${made.request_id}\n`)
  return 0
}

export async function confirm({ args, options, io, api }: Invocation): Promise<number> {
  const body = { request_id: args[0], approval_reason: options.required('approval-reason') }
  const answer = await callJson(await api(), 'POST /v1/rollouts/confirm', { body })
  warn(answer, io)
  io.out(options.json ? pretty(answer) : confirmedText(answer))
  return 0
}

function confirmedText(answer: Rollout | RolloutRequest): string {
  if ('state' in answer) return `${answer.rollout_id} ${answer.state}\n`
  const { request_id, approvals, approvals_required } = answer
  return `APPROVED  ${request_id}  ${approvals.length} of ${approvals_required}; it waits for others\n`
}

export async function reject({ args, options, io, api }: Invocation): Promise<number> {
  const body = { request_id: args[0], reason: options.required('reason') }
  const answer = await callJson(await api(), 'POST /v1/rollouts/reject', { body })
  io.out(options.json ? pretty(answer) : `${answer.request_id} ${answer.resolution ?? answer.status}\n`)
  return 0
}

const REQUEST_COLUMNS: readonly Column<RolloutRequest>[] = [
  { heading: 'request', cell: row => row.request_id, whole: true, rank: 0 },
  { heading: 'status', cell: row => row.status, rank: 1 },
  { heading: 'candidate', cell: row => row.candidate_release_id, whole: true, rank: 2 },
  { heading: 'agent', cell: row => row.agent_id, rank: 4 },
  { heading: 'env', cell: row => row.environment, rank: 3 },
  timeColumn('asked', row => row.created_at, { rank: 7 }),
  { heading: 'actor', cell: row => row.actor, rank: 6 },
  { heading: 'reason', cell: row => row.reason, rank: 5 },
]

export async function requests({ options, io, api }: Invocation): Promise<number> {
  const { requests: found } = await callJson(await api(), 'GET /v1/rollout-requests', {
    query: { status: options.text('status'), limit: MOST },
  })
  io.out(options.json ? pretty({ requests: found }) : listing(REQUEST_COLUMNS, found, io))
  if (found.length === 0 && !options.json) io.err('svc: no requests for rollouts\n')
  return 0
}

/** Rollouts that split now: those that are open, and completed ones that hold units back. */
async function splittingNow(api: Api): Promise<Rollout[]> {
  const lists = await Promise.all(
    ['running', 'paused', 'completed'].map(state =>
      callJson(api, 'GET /v1/rollouts', { query: { state, limit: MOST } }),
    ),
  )
  return lists.flatMap(({ rollouts }) => rollouts).filter(({ share }) => share !== null)
}

/** Who gets another release than the live one, for `svc release promoted`. */
export async function splitNotes(api: Api): Promise<PlaceNote[]> {
  return (await splittingNow(api)).map(rollout => ({
    agent_id: rollout.agent_id,
    environment: rollout.environment,
    text: `${splitText(rollout, id => id)} (${rollout.rollout_id})`,
  }))
}

/** Rollouts that split, and requests that wait for a confirmation, for `svc status`. */
export async function statusLines(api: Api): Promise<StatusLine[]> {
  const [splitting, requested] = await Promise.all([
    splittingNow(api),
    callJson(api, 'GET /v1/rollout-requests', { query: { status: 'pending', limit: 500 } }),
  ])
  return [
    ...splitting.map((rollout): StatusLine => ({
      kind: rollout.state === 'paused' ? 'wrong' : 'waits',
      agent_id: rollout.agent_id,
      environment: rollout.environment,
      text: statusText(rollout),
      command: `svc release rollout show ${rollout.rollout_id}`,
    })),
    ...requested.requests.map(({ agent_id, environment, request_id, candidate_release_id, actor }) => ({
      kind: 'waits' as const,
      agent_id,
      environment,
      text: `${actor} requested a rollout of ${candidate_release_id}; somebody has to confirm or reject it`,
      command: `svc release rollout confirm ${request_id} --approval-reason WHY`,
    })),
  ]
}

function statusText(rollout: Rollout): string {
  const { candidate_release_id: candidate, state, because, share, step, steps } = rollout
  if (state === 'completed') return `${splitText(rollout, id => id)}, after the rollout of ${candidate}`
  const where = `step ${step + 1} of ${steps.length}, ${shareText(share ?? 0)}`
  return state === 'paused'
    ? `the rollout of ${candidate} is paused at ${where}: ${because ?? 'no reason was given'}`
    : `${candidate} is being rolled out: ${where}`
}
