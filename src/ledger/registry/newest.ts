import { raw } from '../../sql/port.ts'

/**
 * A subquery: `seq` of the newest release of each agent and environment. It seeks from one place to the next, so that
 * older releases cost nothing. SQLite seeks by one column at a time: of a pair it would take the first.
 */
export const NEWEST_RELEASES = raw(`(WITH RECURSIVE newest(seq) AS (
    SELECT (SELECT seq FROM releases ORDER BY agent_id DESC, environment DESC, seq DESC LIMIT 1)
    UNION ALL
    SELECT coalesce(
      (SELECT r.seq FROM releases r WHERE r.agent_id = p.agent_id AND r.environment < p.environment
        ORDER BY r.environment DESC, r.seq DESC LIMIT 1),
      (SELECT r.seq FROM releases r WHERE r.agent_id < p.agent_id
        ORDER BY r.agent_id DESC, r.environment DESC, r.seq DESC LIMIT 1))
    FROM newest n JOIN releases p ON p.seq = n.seq
  ) SELECT seq FROM newest WHERE seq IS NOT NULL)`)
