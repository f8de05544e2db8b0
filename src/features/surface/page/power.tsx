import type { DiffReport } from '../../../models/answers/diff.ts'
import type { PowerDifference } from '../../../models/answers/surface.ts'
import { whyNoChanges } from '../../../web/access.ts'
import { Badge } from '../../../web/components/badge.tsx'
import { Section } from '../../../web/components/page.tsx'
import { Time, Words } from '../../../web/components/text.tsx'
import { get, useRead } from '../../../web/query.ts'
import { type Comparing, useBoard } from '../../../web/reads.ts'
import { change, href, param } from '../../../web/route.ts'
import { powerWords } from '../../../rules/power_words.ts'
import { isWideningReason } from '../rules_power.ts'
import { AcknowledgeDialog } from './acknowledge.tsx'
import { PowerChanges, WhoMay } from './changes.tsx'

/** What a candidate may do that the baseline may not, and the other way round, in words. */
export function Power({ report: { surface }, comparing }: { report: DiffReport; comparing: Comparing }) {
  return surface === undefined ? null : <Differs surface={surface} comparing={comparing} />
}

function Differs({ surface, comparing }: { surface: PowerDifference; comparing: Comparing }) {
  const { candidate, baseline, environment } = comparing
  const { widened, acknowledged, acknowledged_only_by: only = [] } = surface
  const agent = useAgentLive(comparing)
  const isBlocked = useIsBlocked(widened > 0 ? agent : undefined, comparing)
  // Who wants the promotion may have acknowledged it, which doesn't count then.
  const isPartial = agent !== undefined && acknowledged !== undefined && only.includes('another')
  const mayMatter = widened > 0 && (isBlocked || isPartial)
  return (
    <Section
      title="What it may do"
      aside={<a href={href('release', { id: candidate })}>All that it may do</a>}
    >
      <p>
        <Badge tone={widened === 0 ? 'ok' : 'warn'}>{powerWords(surface).heading}</Badge>{' '}
        {acknowledged !== undefined && (
          <span>
            <Words>{acknowledged.actor}</Words> acknowledged this <Time at={acknowledged.created_at} />:{' '}
            <Words>{acknowledged.reason}</Words>
          </span>
        )}
      </p>
      <PowerChanges surface={surface} />
      {mayMatter && (
        <div class="acknowledge">
          <p>
            {stateText(isBlocked, acknowledged !== undefined)} <WhoMay only={only} />
          </p>
          <button
            type="button"
            class="button"
            title={whyNoChanges.value}
            onClick={() => change({ acknowledge: candidate })}
          >
            Acknowledge…
          </button>
        </div>
      )}
      {widened > 0 && param('acknowledge') === candidate && (
        <AcknowledgeDialog
          key={`${baseline} ${candidate} ${environment}`}
          surface={surface}
          comparing={comparing}
        />
      )}
    </Section>
  )
}

function stateText(isBlocked: boolean, isAcknowledged: boolean): string {
  if (!isBlocked) return 'That does not count for a promotion by whoever acknowledged it.'
  return isAcknowledged
    ? 'That does not count: the policy blocks a promotion until somebody else acknowledges this.'
    : 'The policy blocks a promotion until somebody acknowledges this.'
}

/** The agent whose live release is the baseline; undefined where another one is live. */
function useAgentLive({ baseline, environment }: Comparing): string | undefined {
  const board = useBoard().data?.board ?? []
  return board.find(entry => entry.environment === environment && entry.promoted?.release_id === baseline)
    ?.agent_id
}

/** Whether a promotion would be blocked now for what the release may do. */
function useIsBlocked(agent: string | undefined, { environment, candidate, window }: Comparing): boolean {
  const place = `${encodeURIComponent(agent ?? '')}/${encodeURIComponent(environment)}`
  const gate = useRead<{ readonly reasons: readonly string[] }>(
    agent === undefined ? null : get(`v1/gate/${place}`, { release_id: candidate, window }),
    30_000,
  )
  return gate.data?.reasons.some(isWideningReason) === true
}

/** A promotion that is blocked for what the release may do: where to see that, and to acknowledge it. */
export function Blocked({
  reasons,
  agent,
  comparing: { baseline, candidate, environment },
}: {
  reasons: readonly string[]
  agent: string
  comparing: Comparing
}) {
  if (!reasons.some(isWideningReason)) return null
  return (
    <p>
      <a href={href('diff', { agent, env: environment, baseline, candidate, acknowledge: candidate })}>
        See what it may do, and acknowledge it
      </a>
    </p>
  )
}
