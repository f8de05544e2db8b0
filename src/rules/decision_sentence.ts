/** What a sentence about a decision names. */
interface DecisionWords {
  readonly action: string
  readonly release_id: string
  readonly agent_id: string
  readonly environment: string
  readonly audit_seq: number
  readonly action_id: string
  /** ISO-8601. */
  readonly created_at: string
}

/** Names a decision: what was decided, where, and under which number, id and time it is in the trail. */
export function decisionSentence(decided: DecisionWords): string {
  const { action, release_id, agent_id, environment, audit_seq, action_id, created_at } = decided
  return `${action} ${release_id} of ${agent_id} in ${environment}: ${audit_seq}, ${action_id}, ${created_at}`
}
