import { useEffect, useState } from 'preact/hooks'
import type { ActionDetail } from '../../../models/answers/action.ts'
import type { Evidence, SideEvidence } from '../../../rules/evidence.ts'
import { Badge, ConfidenceBadge, PassedBadge, Reasons } from '../../components/badge.tsx'
import { Changes } from '../../components/changes.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Icon } from '../../components/icon.tsx'
import { Raw } from '../../components/raw.tsx'
import { Loaded } from '../../components/states.tsx'
import { Facts } from '../../components/table.tsx'
import { ExactTime, Id, Words } from '../../components/text.tsx'
import { count, figureOf, milliseconds, percent, usd } from '../../format.ts'
import { get, useRead } from '../../query.ts'
import { sha256 } from '../../hash.ts'
import { href } from '../../route.ts'
import { PolicyFacts } from '../policy/facts.tsx'
import { type Forged, recorded } from './recorded.ts'

/** An answer has the evidence as an object of any shape: it was written by the version that decided. */
interface Decided extends ActionDetail {
  readonly evidence: Evidence | null
}

/** One decision with all that it rested on. */
export function ActionDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const action = useRead<Decided>(get(`v1/actions/${encodeURIComponent(id)}`), Number.POSITIVE_INFINITY)
  return (
    <Dialog
      title={action.data?.action === 'rollback' ? 'Rollback' : 'Promotion'}
      kind="drawer"
      onClose={onClose}
    >
      <Loaded known={action} lines={10}>
        {answer => {
          const { action: detail, forged } = recorded(answer)
          return (
            <>
              <Forgery forged={forged} />
              <p class="verdict-line">
                <PassedBadge passed={detail.policy_passed} forced={detail.forced} />
                {detail.evidence?.evaluation != null && (
                  <ConfidenceBadge confidence={detail.evidence.evaluation.confidence} />
                )}
              </p>
              <Reasons reasons={detail.policy_reasons} />
              <What detail={detail} />
              {detail.evidence !== null && <EvidenceFacts detail={detail} evidence={detail.evidence} />}
              <Chain detail={detail} isForged={forged.length > 0} />
              <Raw value={answer} />
            </>
          )
        }}
      </Loaded>
    </Dialog>
  )
}

/** What the list says and the hashed record doesn't. */
function Forgery({ forged }: { forged: readonly Forged[] }) {
  if (forged.length === 0) return null
  return (
    <div class="note bad" role="alert">
      <Icon name="block" />
      <div>
        <p>
          The database says something else here than what was hashed. Below is what was hashed; somebody may
          have changed the columns that lists show.
        </p>
        <Changes what="Field" sides={['Hashed', 'In the column']}>
          {forged.map(({ name, recorded: hashed, column }) => (
            <tr key={name} class="differs">
              <th scope="row">{name}</th>
              <td>
                <Words>{hashed}</Words>
              </td>
              <td>
                <Words>{column}</Words>
              </td>
            </tr>
          ))}
        </Changes>
      </div>
    </div>
  )
}

function What({ detail }: { detail: Decided }) {
  const { baseline_release_id: baseline } = detail
  return (
    <Facts
      facts={[
        ['Action', <Id key="id" value={detail.action_id} />],
        ['Number', detail.audit_seq],
        ['When', <ExactTime key="at" at={detail.created_at} />],
        ['Agent', <Words key="agent">{detail.agent_id}</Words>],
        ['Environment', <Words key="env">{detail.environment}</Words>],
        [
          'Release',
          <Id key="rel" value={detail.release_id} link={href('release', { id: detail.release_id })} />,
        ],
        [
          'Live before',
          baseline === null ? 'nothing' : <Id value={baseline} link={href('release', { id: baseline })} />,
        ],
        ['By', <Words key="by">{detail.actor}</Words>],
        ['Name came from', detail.actor_source],
        ['Reason', <Words key="why">{detail.reason}</Words>],
        [
          'Requested by',
          detail.evidence?.request == null ? null : <Words>{detail.evidence.request.requested_by}</Words>,
        ],
      ]}
    />
  )
}

function EvidenceFacts({
  detail: { agent_id, environment, release_id, baseline_release_id },
  evidence: { window, evaluation, policy },
}: {
  detail: Decided
  evidence: Evidence
}) {
  return (
    <>
      <h3>Evidence</h3>
      {evaluation === null ? (
        <p class="faint">A first promotion is not evaluated.</p>
      ) : (
        <Changes what="Measure" sides={['Baseline', 'Candidate']}>
          {measures(evaluation).map(([name, before, after]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{before}</td>
              <td>{after}</td>
            </tr>
          ))}
          <tr>
            <th scope="row">Runs</th>
            <td>{count(runsOf(evaluation.baseline))}</td>
            <td>{count(runsOf(evaluation.candidate))}</td>
          </tr>
          <tr>
            <th scope="row">Model</th>
            <td>
              <Words>{evaluation.baseline.model}</Words>
            </td>
            <td>
              <Words>{evaluation.candidate.model}</Words>
            </td>
          </tr>
        </Changes>
      )}
      <Facts
        facts={[
          ['Window', window.text],
          ['From', <ExactTime key="since" at={window.since} />],
          ['To', <ExactTime key="until" at={window.until} />],
        ]}
      />
      {evaluation !== null && baseline_release_id !== null && (
        <p>
          <a
            href={href('diff', {
              agent: agent_id,
              env: environment,
              baseline: baseline_release_id,
              candidate: release_id,
              window: window.text,
              until: window.until,
            })}
          >
            The diff of that moment
          </a>
        </p>
      )}
      <h3>Policy in force</h3>
      <PolicyFacts policy={policy} />
    </>
  )
}

function runsOf({ variants }: SideEvidence): number {
  return variants.reduce((sum, { runs }) => sum + runs, 0)
}

function measures({
  metrics,
  baseline,
  candidate,
}: NonNullable<Evidence['evaluation']>): (readonly [string, string, string])[] {
  const [before, after] = [runsOf(baseline), runsOf(candidate)]
  return [
    [
      'Cost per run',
      figureOf(before, metrics.baseline_cost_per_run_usd, usd),
      figureOf(after, metrics.candidate_cost_per_run_usd, usd),
    ],
    [
      'Latency, mean',
      figureOf(before, metrics.baseline_latency_ms_avg, milliseconds),
      figureOf(after, metrics.candidate_latency_ms_avg, milliseconds),
    ],
    [
      'Error rate',
      figureOf(before, metrics.baseline_error_rate, percent),
      figureOf(after, metrics.candidate_error_rate, percent),
    ],
  ]
}

/** The link in the chain, recomputed here: the browser need not take the service's word for the hash. */
function Chain({
  detail: { hash, prev_hash, record_json },
  isForged,
}: {
  detail: Decided
  isForged: boolean
}) {
  const [own, setOwn] = useState<string | undefined>(undefined)
  useEffect(() => {
    if (record_json !== null) void sha256(record_json).then(setOwn)
  }, [record_json])
  if (hash === null) return <p class="faint">Recorded before there was a hash chain.</p>
  return (
    <>
      <h3>Chain</h3>
      <Facts
        facts={[
          ['Hash', <Id key="hash" value={hash} short />],
          ['Before it', prev_hash === null || prev_hash === '' ? 'nothing' : <Id value={prev_hash} short />],
          [
            'Recomputed here',
            own === undefined ? null : (
              <Badge tone={own === hash ? 'ok' : 'bad'}>{own === hash ? 'equal' : 'differs'}</Badge>
            ),
          ],
          [
            'Columns',
            <Badge key="columns" tone={isForged ? 'bad' : 'ok'}>
              {isForged ? 'differ from it' : 'as hashed'}
            </Badge>,
          ],
        ]}
      />
    </>
  )
}
