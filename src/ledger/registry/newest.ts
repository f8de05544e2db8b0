import { raw } from '../../sql/port.ts'

/** `seq` of the newest release of a place, a row of place_answers called `p`: older releases cost nothing. */
export const NEWEST_RELEASE = raw(
  '(SELECT max(n.seq) FROM releases n WHERE n.agent_id = p.agent_id AND n.environment = p.environment)',
)
