/** A bug that is put into a copy of the sources: a text of one file and what stands in its place. */
export interface Mutant {
  readonly name: string
  readonly file: string
  readonly text: string
  readonly instead: string
}

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'the end of the chain is not compared: two decisions follow the same one',
    file: 'src/ledger/trail/chain.ts',
    text: 'return sql`id = 1 AND seq = ${seq} AND hash = ${hash} AND revision = ${revision} AND log_seq = ${log.seq}\n    AND log_hash = ${log.hash}${isSame}`',
    instead: 'return sql`id = 1 AND ${seq} >= 0 AND ${hash} <> ${revision} AND ${log.seq} >= 0${isSame}`',
  },
  {
    name: 'the revision is not compared: a decision stands on a policy or prices of before',
    file: 'src/ledger/assess/assess.ts',
    text: 'hasSameRevisions(earlier.head, standing.head) &&',
    instead: 'hasSameRevisions(standing.head, standing.head) &&',
  },
  {
    name: 'the pointer moves although the decision was not recorded',
    file: 'src/ledger/decide/record.ts',
    text: 'SELECT ${agent_id}, ${environment}, ${release_id}, ${action_id} WHERE ${guard}',
    instead: 'SELECT ${agent_id}, ${environment}, ${release_id}, ${action_id} WHERE true',
  },
  {
    name: 'a decision is not put into the outbox where it was forced',
    file: 'src/ledger/webhooks/announcements.ts',
    text: "if (forced === true) return 'rollback.forced'",
    instead: 'if (forced === true) return undefined',
  },
  {
    name: 'a batch whose answer was lost counts as not done, and the decision is made again',
    file: 'src/ledger/trail/chain.ts',
    text: "if (error.kind !== 'uncertain' || !mayTry) throw error",
    instead: "if (error.kind !== 'uncertain' || !mayTry) throw error\n      return undefined",
  },
  {
    name: 'a lost answer is looked up at once, where the commit may still be on its way',
    file: 'src/ledger/trail/chain.ts',
    text: "if (error.kind !== 'uncertain' || !mayTry) throw error",
    instead: "if (error.kind !== 'uncertain' || !mayTry) throw error\n      return await recorded()",
  },
  {
    name: 'a batch that is sent again does not let go of the head first: its guard is lost, and it is taken for undone',
    file: 'src/ledger/trail/chain.ts',
    text: 'return done === undefined && tries > 1 ? await recorded() : done',
    instead: 'return done',
  },
  {
    name: 'an Idempotency-Key is looked up, but not kept with the decision',
    file: 'src/ledger/decide/record.ts',
    text: '    ...keep(outcome, created_at, guard),\n',
    instead: '',
  },
  {
    name: 'two statements are swapped: the mark of the rollups moves before they are added',
    file: 'src/ledger/events/ingest_sql.ts',
    text: "    ...(coming === 'in' ? [...ROLLUP, ...further(NEW_EVENTS)] : []),\n    ...partStatements(parts, coming),\n    ...scoreStatements(scores, coming),\n    ...keptToo,\n    MARK_NEWEST,",
    instead:
      "    MARK_NEWEST,\n    ...(coming === 'in' ? [...ROLLUP, ...further(NEW_EVENTS)] : []),\n    ...partStatements(parts, coming),\n    ...scoreStatements(scores, coming),\n    ...keptToo,",
  },
  {
    name: 'the mark of the rollups is forgotten: events are added to them twice',
    file: 'src/ledger/events/ingest_sql.ts',
    text: '    ...keptToo,\n    MARK_NEWEST,',
    instead: '    ...keptToo,',
  },
  {
    name: 'an event that was erased is stored again when it is sent or restored again',
    file: 'src/ledger/events/ingest_sql.ts',
    text: 'AND NOT EXISTS (SELECT 1 FROM erased_runs WHERE hash = value ->> ${COLUMNS.length})',
    instead: '',
  },
  {
    name: 'a window is cut where events of its last minute were erased',
    file: 'src/ledger/events/gaps.ts',
    text: 'ends === undefined ? window : wholeWindow(window, ends)',
    instead: 'ends === undefined ? window : wholeWindow(window, { since: 1, until: 1 })',
  },
  {
    name: 'a decision reads the runs from the standby',
    file: 'src/ledger/assess/pair.ts',
    text: 'ask(ledger.sql, together({ compared, clusters }))',
    instead: 'ask((ledger as { follower?: Sql }).follower ?? ledger.sql, together({ compared, clusters }))',
  },
  {
    name: 'a confirmation does not look whether the request is still pending',
    file: 'src/ledger/decide/confirm.ts',
    text: 'void (pending = refuseSettled(read, clock, confirmation, ledger)),',
    instead: 'void [read, clock],',
  },
  {
    name: 'a delivery that no receiver took counts as delivered',
    file: 'src/ledger/webhooks/outbox.ts',
    text: "facts.problem === null ? 'delivered' :",
    instead: "facts.problem !== undefined ? 'delivered' :",
  },
  {
    name: "a decision is noted by the server's clock",
    file: 'src/ledger/decide/record.ts',
    text: 'decided_at: head.now,',
    instead: 'decided_at: ledger.now(),',
  },
  {
    name: 'time counts from what was noted of the decision before, by any server',
    file: 'src/features/conditions/condition.ts',
    text: 'sql`coalesce(a.decided_at, a.created_at)`',
    instead: 'sql`a.created_at`',
  },
  {
    name: "a freeze goes by the server's clock",
    file: 'src/features/conditions/condition.ts',
    text: '    return { ...conditions, clock: {',
    instead: '    return conditions\n    return { ...conditions, clock: {',
  },
  {
    name: 'a server whose clock is days off decides by time',
    file: 'src/rules/clock.ts',
    text: 'apartMs > MOST_APART_MS ?',
    instead: 'apartMs < 0 ?',
  },
  {
    name: 'a clock that is behind the newest record is believed',
    file: 'src/rules/clock.ts',
    text: 'if (now < latest - SLEWED_MS) {',
    instead: 'if (now < 0) {',
  },
  {
    name: 'a freeze is over by a clock that is not to be believed',
    file: 'src/features/conditions/rules.ts',
    text: '.filter(one => doubt !== undefined || isFrozen(one, at))',
    instead: '.filter(one => isFrozen(one, at))',
  },
  {
    name: "the answer says when a request ends by the server's clock",
    file: 'src/ledger/decide/requests.ts',
    text: '...(expires === null ? {} : { expires_at: isoTime(expires) }),',
    instead: '...(expires === null ? {} : { expires_at: isoTime(expires - clock.now + createdAt) }),',
  },
  {
    name: 'a receiver is told before the decision is written',
    file: 'src/ledger/decide/record.ts',
    text: '  const written = await commitOnce(\n    ledger,\n    among([],',
    instead:
      '  await ledger.sql.batch(announceDecision(sealed, entry!, assessment.verdict, sql`true`, clock))\n  const written = await commitOnce(\n    ledger,\n    among([],',
  },
  {
    name: 'a run is stored although a call of it came since its trace was checked',
    file: 'src/features/traces/kept_rows.ts',
    text: 'holds: unchanged(db, known),',
    instead: "holds: raw('true'),",
  },
  {
    name: 'a call waits although its run was stored since its trace was checked',
    file: 'src/features/traces/kept_rows.ts',
    text: 'WHERE ${OF_TRACE} AND e.run_id NOT IN',
    instead: 'WHERE false AND ${OF_TRACE} AND e.run_id NOT IN',
  },
  {
    name: 'a run is stored although the parent of a call of its trace has not come',
    file: 'src/features/traces/receive.ts',
    text: 'if (open.some(other => mayBeOf(other, group, above)))',
    instead: 'if (open.some(other => mayBeOf(other, group, above) && top.hasFailed))',
  },
  {
    name: 'what a refused run was refused for is forgotten with it',
    file: 'src/features/traces/receive.ts',
    text: "({ what: 'refused', reason, isLoose: false, isLate: false })",
    instead: "({ what: 'refused', reason, isLoose: true, isLate: false })",
  },
  {
    name: 'a run is stored although spans of its time were forgotten',
    file: 'src/features/traces/receive.ts',
    text: 'if (forgottenBefore > 0 && began < forgottenBefore)',
    instead: 'if (forgottenBefore > began + 1e12)',
  },
]
