import { jsonOf } from '../../base/text.ts'
import type { Statement } from './models.ts'

/** Something derived from a release, by its address below that of the ledger. */
export interface Derived {
  readonly path: string
  readonly sha256: string
}

/** What a statement is made of. */
export interface Verified {
  /** Identifies the ledger. */
  readonly ledger: string
  /** Of the program. */
  readonly version: string
  readonly action_id: string
  readonly action: 'promote' | 'rollback'
  readonly agent_id: string
  readonly environment: string
  readonly passed: boolean
  /** ISO-8601. */
  readonly created_at: string
  /** SHA-256 of the decision's record. */
  readonly hash: string
  readonly release: { readonly version: string; readonly checksum: string }
  readonly policy: { readonly policy_id: string; readonly digest: string }
  readonly derived: Derived
}

/**
 * An in-toto Statement with a SLSA Verification Summary. Its level is a name of our own, as the predicate allows: SLSA
 * has none for releases of agents.
 */
export function statementOf(facts: Verified): Statement {
  const { release, policy, passed } = facts
  const verifier = `rgs://${facts.ledger}`
  const id = encodeURIComponent
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: `${facts.agent_id}@${release.version}`, digest: { sha256: release.checksum } }],
    predicateType: 'https://slsa.dev/verification_summary/v1',
    predicate: {
      verifier: { id: verifier, version: { rgs: facts.version } },
      timeVerified: facts.created_at,
      resourceUri: resourceOf(facts),
      policy: { uri: `${verifier}/policies/${id(policy.policy_id)}`, digest: { sha256: policy.digest } },
      inputAttestations: [
        { uri: `${verifier}/actions/${facts.action_id}`, digest: { sha256: facts.hash } },
        { uri: `${verifier}/${facts.derived.path}`, digest: { sha256: facts.derived.sha256 } },
      ],
      verificationResult: passed ? 'PASSED' : 'FAILED',
      verifiedLevels: [
        !passed ? 'FAILED' : facts.action === 'promote' ? 'RGS_PROMOTE_ALLOWED' : 'RGS_ROLLBACK_ALLOWED',
      ],
    },
  }
}

/** What a decision is about: an agent in an environment. */
function resourceOf(place: Pick<Verified, 'ledger' | 'agent_id' | 'environment'>): string {
  const [agent, environment] = [place.agent_id, place.environment].map(encodeURIComponent)
  return `rgs://${place.ledger}/agents/${agent}/environments/${environment}`
}

/** A statement by its text, or undefined where it is no verification summary. */
export function readStatement(text: string): Statement | undefined {
  const value = jsonOf(text) as { readonly [field in keyof Statement]?: unknown } | null | undefined
  const { _type: version, predicateType, subject, predicate } = value ?? {}
  if (version !== 'https://in-toto.io/Statement/v1') return undefined
  if (predicateType !== 'https://slsa.dev/verification_summary/v1') return undefined
  const about = Array.isArray(subject) ? (subject as readonly (Subject | null)[]) : []
  const { resourceUri, verificationResult, timeVerified, verifier } = (predicate ?? {}) as Summary
  const texts = [resourceUri, verificationResult, timeVerified, verifier?.id]
  const all = [...texts, ...about.flatMap(one => [one?.name, one?.digest?.sha256])]
  return about.length > 0 && all.every(one => typeof one === 'string') ? (value as Statement) : undefined
}

type Subject = Partial<Statement['subject'][number]>
type Summary = Partial<Statement['predicate']>
