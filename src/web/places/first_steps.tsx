import type { ComponentChildren } from 'preact'
import type { BoardEntry } from '../../models/answers/board.ts'
import { actor, modes } from '../access.ts'
import { useAttempt } from '../attempt.ts'
import { Icon } from '../ui/icon.tsx'
import { Failure } from '../ui/note.tsx'
import { Command, Words } from '../ui/text.tsx'
import { usePricing, useRelease, useReleases, useRuns } from '../reads.ts'
import { href } from '../route.ts'
import { loadDemo } from './demo.ts'
import { openDecision } from './open.ts'
import { Button } from '../ui/button.tsx'

/** What a ledger without a live release needs first. Each step ticks when the service has seen it. */
export function FirstSteps({ board }: { board: readonly BoardEntry[] }) {
  const releases = useReleases().data?.releases
  const newest = releases?.[0]
  const hasPrices = (usePricing().data?.pricing.length ?? 0) > 0
  const runs = useRuns(
    newest === undefined
      ? null
      : { release_id: newest.release_id, environment: newest.environment, window: '30d', limit: 1 },
  )
  const hasRuns = (runs.data?.matched_total ?? 0) > 0
  return (
    <section class="empty">
      <h2>{board.length === 0 ? 'No releases yet' : 'Nothing is live yet'}</h2>
      <ol class="steps">
        <Step isDone={hasPrices} title="Import the prices of your models">
          <a href={href('settings', { part: 'prices', prices: 'import' })}>Import prices…</a>
        </Step>
        <Step isDone={newest !== undefined} title="Describe an agent and register it">
          <Command text="svc release init my-agent" />
          <Command text="svc release register my-agent --env prod" />
        </Step>
        <Step isDone={hasRuns} title="Send its runs">
          {newest === undefined ? (
            <p class="faint">
              The command comes with the first release; <a href="docs">the API documentation</a> has all
              fields.
            </p>
          ) : (
            <FirstRun id={newest.release_id} />
          )}
        </Step>
        <Step isDone={false} title="Promote it">
          {newest !== undefined && (
            <p>
              <Button
                kind="primary"
                changes
                onClick={() =>
                  openDecision('promote', newest.agent_id, newest.environment, newest.release_id)
                }
                icon="up"
              >
                Promote…
              </Button>{' '}
              <Words>{`${newest.agent_id} ${newest.version} in ${newest.environment}`}</Words>
            </p>
          )}
        </Step>
      </ol>
      {releases?.length === 0 && <DemoData />}
    </section>
  )
}

function Step({ isDone, title, children }: { isDone: boolean; title: string; children: ComponentChildren }) {
  return (
    <li class={isDone ? 'ok' : ''}>
      <strong>
        {title}
        {isDone && (
          <>
            {' '}
            <Icon name="pass" size={14} />
            <span class="hidden">done</span>
          </>
        )}
      </strong>
      {!isDone && children}
    </li>
  )
}

/** Sends one run of a release, as a program would. */
function FirstRun({ id }: { id: string }) {
  const release = useRelease(id).data
  if (release === undefined) return null
  const { agent_id, environment, artifact_json } = release
  const { provider, model } = artifact_json.spec.runtime
  const event = {
    timestamp: new Date().toISOString(),
    agent_id,
    release_id: id,
    run_id: 'first-run',
    tenant_id: 'acme',
    task_id: 'try',
    environment,
    metrics: { success: true, latency_ms: 900 },
    usage: { model: { provider, model, input_tokens: 900, output_tokens: 200 } },
  }
  const token = modes.value?.mutation_auth === 'bearer' ? ' -H "authorization: Bearer $SERVICE_TOKEN"' : ''
  const url = new URL('v1/events', location.href.replace(/\?.*/, ''))
  const body = JSON.stringify({ events: [event] }).replaceAll("'", String.raw`'\''`)
  return <Command text={`curl -sS ${url.href} -H "content-type: application/json"${token} -d '${body}'`} />
}

function DemoData() {
  const { problem, isSending, attempt } = useAttempt()
  return (
    <>
      <Failure message={problem} />
      <p>
        <Button
          changes
          disabled={isSending}
          onClick={() => void attempt(() => loadDemo(actor.value.trim() || 'demo'))}
        >
          {isSending ? 'Loading…' : 'Load demo data'}
        </Button>{' '}
        <span class="faint">
          An agent with two releases and 700 runs. A ledger never forgets: try it in one of its own.
        </span>
      </p>
    </>
  )
}
