import type { Rollout } from './models.ts'
import { type Api, callJson } from '../../cli/service/api.ts'
import type { Invocation, PlaceNote, StatusLine } from '../../cli/arguments/command.ts'
import { onStop } from '../../cli/terminal/stop.ts'
import { pretty } from '../../cli/terminal/text.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { rolloutText } from './cli_text.ts'
import { isOpen, splitText } from './rules_sentence.ts'
import { shareText } from '../../base/text.ts'

/** As many as the service gives at once. */
const MOST = 500

/** How often it is read, ms. */
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
        io.err(`svc: ${rollout.rollout_id} continues\n`)
        return stop.exitCode()
      }
    }
  } finally {
    stop.release()
  }
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
      command: `svc release rollout confirm ${request_id} --reason WHY`,
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
