import { RESULT_WORDS } from '../../rules/result.ts'
import { listAll } from '../service/run.ts'
import { timeColumn } from '../terminal/table.ts'
import { placeText } from './promoted.ts'

/** Prints matching actions, newest first. */
export const history = listAll(
  'GET /v1/actions',
  'actions',
  [
    { heading: 'seq', cell: row => row.audit_seq, whole: true, right: true, rank: 0 },
    timeColumn('when', row => row.created_at, { rank: 1 }),
    { heading: 'action', cell: row => row.action, rank: 2 },
    {
      heading: 'result',
      cell: ({ result, changed }) => (changed === undefined ? RESULT_WORDS[result] : 'changed'),
      rank: 3,
    },
    { heading: 'release', cell: row => row.release_id, whole: true, rank: 4 },
    { heading: 'agent', cell: row => row.agent_id, rank: 6 },
    { heading: 'env', cell: row => row.environment, rank: 5 },
    { heading: 'baseline', cell: row => row.baseline_release_id, whole: true, rank: 10 },
    { heading: 'actor', cell: row => row.actor, rank: 8 },
    { heading: 'reason', cell: row => row.reason, rank: 7 },
    {
      heading: 'policy',
      cell: ({ changed, ...row }) =>
        changed === undefined
          ? row.policy_passed
            ? null
            : row.policy_reasons.join('; ')
          : `the row was changed in the database: ${changed}`,
      rank: 9,
    },
  ],
  {
    takes: ({ options }) => ({ evidence: options.json ? 'true' : undefined }),
    empty: ({ options }) =>
      `no actions${placeText({ agent: options.text('agent'), env: options.text('env') })} yet; promote a release with \`svc release promote\``,
    mark: ({ result, changed }, line, paint) =>
      result === 'forced' || changed !== undefined ? paint('red', line) : line,
  },
)
