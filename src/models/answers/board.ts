import { type } from 'arktype'
import { documented, under } from '../docs.ts'
import { RESULT_FIELD, Result } from '../documents/policy.ts'
import { Count, Identifier, Timestamp } from '../scalars.ts'

/** Why a release can't be decided on. */
const UnusableSince = type({ since: Timestamp, last: Timestamp.or('null'), because: 'string' })

const UNUSABLE_FIELDS = {
  since:
    'Since when: the hour of the first such run of the last 7 days; without a price table the registration of the release.',
  last: 'The end of the hour of the last such run, or now: a window that begins then or later has none. null where the price table is missing.',
  because: 'How many runs of which agent or model, or which price table is missing.',
} as const

/** What is live in one place. */
export const Promoted = type({
  release_id: Identifier,
  version: 'string | null',
  action_id: 'string | null',
  promoted_at: Timestamp.or('null'),
  promoted_by: 'string | null',
  reason: 'string | null',
  'forced?': 'true',
  'unusable?': UnusableSince,
})

const LastAction = type({
  action_id: 'string',
  action: "'promote' | 'rollback'",
  release_id: Identifier,
  policy_passed: 'boolean',
  policy_reasons: 'string[]',
  result: Result,
  actor: 'string',
  created_at: Timestamp,
  'forced?': 'true',
})

const NewestRelease = type({
  release_id: Identifier,
  version: 'string',
  created_at: Timestamp,
  'rolled_back_at?': Timestamp,
  'unpriced?': 'true',
  'unusable?': UnusableSince,
})

/** GET /v1/board */
export const Board = type({
  board: type({
    agent_id: Identifier,
    environment: Identifier,
    promoted: Promoted.or('null'),
    last_action: LastAction.or('null'),
    newest_release: NewestRelease.or('null'),
    pending_requests: Count,
  }).array(),
})
export type Board = typeof Board.infer
export type BoardEntry = Board['board'][number]

export const board = documented(Board, {
  title: 'Board',
  description: 'Where each agent stands in each environment that it has releases or a pointer in.',
  fields: {
    board: 'One entry per agent and environment, in their order.',
    'board[].agent_id': 'The agent.',
    'board[].environment': 'The environment.',
    'board[].promoted': 'What is promoted; null if nothing is.',
    'board[].promoted.release_id': 'The promoted release.',
    'board[].promoted.version': 'Its version; null if it is not registered.',
    'board[].promoted.action_id': 'The decision that chose it.',
    'board[].promoted.promoted_at': 'When it was chosen.',
    'board[].promoted.promoted_by': 'Who asked for it.',
    'board[].promoted.reason': 'Why, in the words of who asked.',
    'board[].promoted.forced': 'There, and true, where it was forced: the policy was not asked.',
    'board[].promoted.unusable':
      'Only where a promotion, gate or rollback is refused, because runs of the release name another agent or have no price.',
    ...under('board[].promoted.unusable.', UNUSABLE_FIELDS),
    'board[].last_action': 'The last decision, passed or blocked; null if there was none.',
    'board[].last_action.action_id': 'Identifier of the action.',
    'board[].last_action.action': 'What was asked for.',
    'board[].last_action.release_id': 'The release promoted or rolled back to.',
    'board[].last_action.policy_passed': 'Whether the policy passed, and so the pointer moved.',
    'board[].last_action.policy_reasons': 'What the policy said.',
    'board[].last_action.result': RESULT_FIELD,
    'board[].last_action.actor': 'Who asked.',
    'board[].last_action.created_at': 'When it was recorded.',
    'board[].last_action.forced':
      'There, and true, where it was forced: the policy was not asked, and the pointer moved.',
    'board[].newest_release': 'The release registered last with this environment; null if none was.',
    'board[].newest_release.release_id': 'Identifier of the release.',
    'board[].newest_release.version': 'Its version.',
    'board[].newest_release.created_at': 'When it was registered.',
    'board[].newest_release.rolled_back_at':
      'When it was rolled back here; left out unless the last decision about it was that.',
    'board[].newest_release.unpriced':
      'Present, and true, where no table is imported that it could be priced with: a diff would be refused.',
    'board[].newest_release.unusable': 'The same of this release; left out where no table is imported.',
    ...under('board[].newest_release.unusable.', UNUSABLE_FIELDS),
    'board[].pending_requests': 'Promotion requests that wait for a confirmation.',
  },
})
