import type { Watch } from '../../models/answers/watch.ts'
import { type Api, callJson } from '../../cli/service/api.ts'
import type { Invocation } from '../../cli/arguments/command.ts'
import { releaseId } from '../../cli/release/reference.ts'
import { pretty, safe } from '../../cli/terminal/text.ts'
import { follow } from './cli_follow.ts'
import { headline } from './cli_text.ts'

/** Begins a watch, and with --follow shows it until it ends. */
export async function watch(invocation: Invocation): Promise<number> {
  const { options, io, api } = invocation
  const opened = await api()
  const follows = options.flag('follow') === true
  const running = follows ? await runningWatch(invocation, opened) : undefined
  const found = running ?? (await begin(invocation, opened))
  for (const warning of found.warnings ?? []) io.err(`svc: warning: ${safe(warning)}\n`)
  if (follows) return follow(found, invocation, opened)
  io.out(options.json ? pretty(found) : `${headline(found)}\n`)
  if (!options.json && opened.here !== undefined) {
    io.err('svc: a running `svc serve` on this ledger looks at it, or this command with --follow\n')
  }
  return 0
}

type Started = Watch & { readonly warnings?: readonly string[] }

/** The one that runs in this place; what else was typed is for a new one, and told to have no effect. */
async function runningWatch({ args, options, io }: Invocation, api: Api): Promise<Started | undefined> {
  const query = { agent: args[0], env: options.required('env'), state: 'watching' }
  const { watches } = await callJson<{ watches: Watch[] }>(api, 'GET /v1/watches', { query })
  const [running] = watches
  const isSpecial =
    ['for', 'against', 'min-runs'].some(name => options.text(name) !== undefined) ||
    options.flag('auto-rollback') !== undefined
  if (running !== undefined && isSpecial) {
    io.err(`svc: ${running.watch_id} runs there already: it goes on as it was begun\n`)
  }
  return running
}

async function begin({ args, options, io }: Invocation, api: Api): Promise<Started> {
  const against = options.text('against')
  return callJson<Started>(api, 'POST /v1/watches', {
    body: {
      agent_id: args[0],
      environment: options.required('env'),
      for: options.text('for'),
      against:
        against === undefined || against === 'baseline' ? undefined : await releaseId(against, api, io),
      min_runs: options.number('min-runs'),
      auto_rollback: options.flag('auto-rollback'),
    },
  })
}
