import { useEffect, useState } from 'preact/hooks'
import type { ActionDetail } from '../../models/answers/action.ts'
import type { EvaluatedEvidence, Evidence, SideEvidence } from '../../rules/evidence.ts'
import { Badge, ConfidenceBadge, ResultBadge, Reasons } from '../ui/badge.tsx'
import { Changes, Row } from '../ui/changes.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Note } from '../ui/note.tsx'
import { MomentLink, ReleaseId } from '../ui/place.tsx'
import { Loaded } from '../ui/states.tsx'
import { Facts } from '../ui/table.tsx'
import { ExactTime, Id, Raw } from '../ui/text.tsx'
import { Judgement } from '../ui/judgement.tsx'
import { MEASURES, count, figureOf } from '../format.ts'
import { get, useRead } from '../query.ts'
import { PolicyFacts } from '../settings/facts.tsx'
import { type Forged, recorded } from './recorded.ts'
import { Again, useExplanation } from './again.tsx'
import { sha256 as sha256Of } from '../../base/bytes.ts'

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
              {detail.evidence?.evaluation == null ? (
                <>
                  <ResultBadge result={detail.result} />
                  <Reasons reasons={detail.policy_reasons} />
                </>
              ) : (
                <VerdictThen detail={detail} evaluation={detail.evidence.evaluation} />
              )}
              <What detail={detail} />
              {detail.evidence !== null && <EvidenceFacts detail={detail} evidence={detail.evidence} />}
              <Again action={detail} />
              <Chain detail={detail} isForged={forged.length > 0} />
              <Raw value={answer} />
            </>
          )
        }}
      </Loaded>
    </Dialog>
  )
}

function VerdictThen({
  detail: { action_id, policy_passed, policy_reasons, result },
  evaluation: { statistics, confidence },
}: {
  detail: Decided
  evaluation: EvaluatedEvidence
}) {
  return (
    <Judgement
      label="Verdict on record"
      policy={{ passed: policy_passed, result, reasons: policy_reasons }}
      statistics={statistics}
      summary={useExplanation(action_id).data?.summary}
    >
      <ConfidenceBadge confidence={confidence} />
    </Judgement>
  )
}

/** What the list says and the hashed record doesn't. */
function Forgery({ forged }: { forged: readonly Forged[] }) {
  if (forged.length === 0) return null
  return (
    <Note tone="bad">
      <p>
        The database says something else here than what was hashed. Below is what was hashed; somebody may
        have changed the columns that lists show.
      </p>
      <Changes what="Field" sides={['Hashed', 'In the column']}>
        {forged.map(({ name, recorded: hashed, column }) => (
          <Row key={name} name={name} cells={[hashed, column]} differs />
        ))}
      </Changes>
    </Note>
  )
}

/** Whether who decided has proven to be that. */
export const IDENTITIES: Readonly<Record<string, string>> = {
  header: 'claimed, not proven (header)',
  body: 'claimed, not proven (body)',
  cli: 'the user of this machine',
  forwarded: 'vouched for by the proxy',
  token: 'proven by a named token',
  oidc: 'proven by the identity provider',
  watch: 'the service itself, by a watch',
  service: 'the service itself',
}

function What({ detail }: { detail: Decided }) {
  const { baseline_release_id: baseline } = detail
  return (
    <Facts
      facts={{
        Action: <Id value={detail.action_id} />,
        Number: detail.audit_seq,
        When: <ExactTime at={detail.created_at} />,
        Agent: detail.agent_id,
        Environment: detail.environment,
        Release: <ReleaseId id={detail.release_id} />,
        'Live before': baseline === null ? 'nothing' : <ReleaseId id={baseline} />,
        By: detail.actor,
        Identity: IDENTITIES[detail.actor_source ?? 'header'],
        Reason: detail.reason,
        'Requested by': detail.evidence?.request?.requested_by,
      }}
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
          {MEASURES.map(({ name, figure, format }) => (
            <Row
              key={name}
              name={name}
              cells={[
                figureOf(runsOf(evaluation.baseline), evaluation.metrics[`baseline_${figure}`], format),
                figureOf(runsOf(evaluation.candidate), evaluation.metrics[`candidate_${figure}`], format),
              ]}
            />
          ))}
          <Row
            name="Runs"
            cells={[count(runsOf(evaluation.baseline)), count(runsOf(evaluation.candidate))]}
          />
          <Row name="Model" cells={[evaluation.baseline.model, evaluation.candidate.model]} />
        </Changes>
      )}
      <Facts
        facts={{
          Window: window.text,
          From: <ExactTime at={window.since} />,
          To: <ExactTime at={window.until} />,
        }}
      />
      {evaluation !== null && baseline_release_id !== null && (
        <MomentLink
          agent={agent_id}
          env={environment}
          baseline={baseline_release_id}
          candidate={release_id}
          window={window.text}
          until={window.until}
        />
      )}
      <h3>Policy in force</h3>
      <PolicyFacts policy={policy} />
    </>
  )
}

function runsOf({ variants }: SideEvidence): number {
  return variants.reduce((sum, { runs }) => sum + runs, 0)
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
  if (hash === null) return <p class="faint">It has no hash, so nothing proves what it says.</p>
  return (
    <>
      <h3>Chain</h3>
      <Facts
        facts={{
          Hash: <Id value={hash} short />,
          'Before it': prev_hash === null || prev_hash === '' ? 'nothing' : <Id value={prev_hash} short />,
          'Recomputed here':
            own === undefined ? null : (
              <Badge tone={own === hash ? 'ok' : 'bad'}>{own === hash ? 'equal' : 'differs'}</Badge>
            ),
          Columns: <Badge tone={isForged ? 'bad' : 'ok'}>{isForged ? 'differ from it' : 'as hashed'}</Badge>,
        }}
      />
    </>
  )
}

/** SHA-256 of a text, lowercase hex; undefined where the page's origin is not secure: browsers have no such function there. */
export async function sha256(text: string): Promise<string | undefined> {
  return isSecureContext ? sha256Of(text) : undefined
}
