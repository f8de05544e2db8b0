import { DAY_MS } from '../../../../src/base/time.ts'
import type { Row } from '../../../../src/sql/port.ts'
import { NOON } from '../../services/service.ts'
import { UNFINISHED_PART } from '../whole_ledger.ts'

/** What finds an edit of a table: the plain checks of the doctor, or the deep ones. */
export const FOUND_BY: Readonly<Record<string, 'plain' | 'deep'>> = {
  acknowledgements: 'deep',
  actions: 'plain',
  audit_head: 'deep',
  audit_log: 'plain',
  aggregate_feeds: 'deep',
  aggregate_hours: 'deep',
  aggregate_sources: 'deep',
  aggregates: 'deep',
  counters: 'deep',
  erased_runs: 'deep',
  erasures: 'deep',
  event_blocks: 'deep',
  event_gaps: 'deep',
  model_retirements: 'deep',
  policy_history: 'plain',
  pricing_imports: 'plain',
  pricing_tables: 'deep',
  promoted_pointers: 'plain',
  promotion_requests: 'deep',
  release_files: 'deep',
  releases: 'plain',
  retention: 'deep',
  rollout_counts: 'deep',
  rollout_mark: 'deep',
  rollout_parts: 'deep',
  rollout_requests: 'deep',
  rollout_sums: 'deep',
  rollout_units: 'deep',
  rollout_values: 'deep',
  rollouts: 'deep',
  rollup_days: 'deep',
  rollup_hours: 'deep',
  rollup_latency_10m: 'deep',
  rollup_latency_1d: 'deep',
  rollup_ttft_10m: 'deep',
  rollup_ttft_1d: 'deep',
  rollup_mark: 'deep',
  rollup_minutes: 'deep',
  rollup_part_hours: 'deep',
  rollup_part_minutes: 'deep',
  rollup_part_task_hours: 'deep',
  rollup_part_tenant_hours: 'deep',
  rollup_score_hours: 'deep',
  rollup_score_minutes: 'deep',
  rollup_capability_hours: 'deep',
  rollup_capability_minutes: 'deep',
  rollup_task_hours: 'deep',
  rollup_tenant_hours: 'deep',
  run_events: 'deep',
  run_parts: 'deep',
  run_scores: 'deep',
  schema_migrations: 'plain',
  scopes: 'deep',
  score_cases: 'deep',
  score_evaluations: 'deep',
  score_imports: 'deep',
  score_parts: 'deep',
  session_keys: 'deep',
  sessions: 'deep',
  segments: 'deep',
  segment_hours: 'deep',
  capability_names: 'deep',
  tokens: 'deep',
  variants: 'deep',
  watch_checks: 'deep',
  watches: 'deep',
  webhooks: 'deep',
}

/** Tables that only SQLite has. */
export const ONLY_SQLITE: readonly string[] = ['event_blocks', 'rollup_mark']

/** Tables that hold nothing that governs, and why. */
export const EXEMPT_TABLES: Readonly<Record<string, string>> = {
  agent_revisions: 'is compared with itself by changes that are under way',
  place_answers: 'is what the last evaluation found: the next one finds it again',
  live_findings: 'is found anew by the next judgement; the log has each entry',
  source_notes: 'what sources send that is not counted: each hour is noted anew',
  aggregate_imports:
    'when aggregates came, and how many: the aggregates themselves are bound by their digests',
  idempotency_keys: 'answers to repeated requests: what they say is in the trail',
  webhook_deliveries: 'messages: what they say is in the trail, which receivers can ask',
  aggregate_writes: 'how often aggregates were written, for batches that are sent again',
  score_uploads: 'imports of which cases are missing: they count nowhere',
  retention_jobs:
    'has rows only while something is pruned, erased or restored; the audit log says what began and ended',
  segments_unsummed: 'has rows only of events that are summed next: sums are compared with all others',
  kept_spans: 'spans of which no run is stored yet: whoever can change them can send others',
}

const ORDER = 'its order is what counts, and rows that change places are found'
const ON_THE_WAY = 'a figure on the way: what a watch came to is held'
const ANNOUNCED = 'whether receivers were told'
const UNUSED = 'an id that no event has stands for nothing'

/** Columns, and kinds of edits of rows, that nothing has to find, and why. */
export const EXEMPT_COLUMNS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  acknowledgements: { seq: ORDER },
  audit_head: {
    changed_by: 'who was the last, for batches that are sent again',
    revision: 'is compared with itself by changes that are under way',
  },
  aggregate_hours: {
    as_of: 'which of two states of an hour came later',
    covered_to: 'up to when a source is complete: who can change it can import aggregates',
    import_id: 'which import an hour came by',
    digest: 'which of two states of an hour came later: its aggregates have digests of their own',
  },
  counters: { slot: 'a value may lie in any' },
  erasures: { seq: ORDER },
  event_blocks: {
    'a deleted row': 'without the last note its events are looked at as those of an older version',
  },
  event_gaps: {
    done: 'says only whether retention looks there again',
    kept_by: 'is only shown: the aggregates name their sources',
    run_url: 'is only shown',
  },
  model_retirements: { seq: ORDER },
  promotion_requests: { seq: ORDER },
  release_files: {
    seq: 'files are told by their paths',
    'two swapped rows': 'files are told by their paths',
  },
  retention: {
    lease_until: 'which server looks next',
    spans_before: 'which runs are refused, before any is stored',
    spans_swept_at: 'when a server last looked',
    segments_before: 'what is not kept is neither read nor compared',
  },
  rollout_counts: { slot: 'a value may lie in any' },
  rollout_mark: { changed_by: 'which change was the last, for batches that are sent again' },
  rollout_requests: { seq: ORDER },
  rollouts: {
    looks: ON_THE_WAY,
    check_json: ON_THE_WAY,
    due_at: 'when a server looks next',
    lease: 'which server looks',
  },
  run_events: { seq: ORDER },
  schema_migrations: { applied_at: 'tells when, which decides nothing' },
  scopes: { 'an inserted row': UNUSED },
  score_cases: { 'a deleted row': 'retention removes them too' },
  score_evaluations: { seq: ORDER },
  score_imports: { seq: ORDER },
  score_parts: { part: ORDER, details_json: 'is only shown' },
  sessions: { seq: ORDER, last_used_at: 'is written by uses, not by decisions' },
  segments: { 'an inserted row': UNUSED },
  segment_hours: { changed_by: 'who was the last, for batches that are sent again' },
  capability_names: { notice_id: ANNOUNCED, 'two swapped rows': ANNOUNCED },
  tokens: { last_used_at: 'is written by uses, not by decisions' },
  variants: { 'an inserted row': UNUSED },
  watch_checks: {
    at: ON_THE_WAY,
    check_json: ON_THE_WAY,
    'two swapped rows': ON_THE_WAY,
  },
  watches: { seq: ORDER, due_at: 'when a server looks next', lease: 'which server looks' },
  webhooks: { seq: ORDER },
}

/** Rows that are edited: of days from which events were erased, rollups are the only record. */
export function isGoverned(table: string, row: Row): boolean {
  if (table === 'counters') return !UNCOUNTED.includes(String(row.name))
  if (table === 'score_parts') return Number(row.part) !== UNFINISHED_PART
  const at = BUCKETS[table]
  return at === undefined || Math.floor((Number(row[at.column]) * at.ms) / DAY_MS) !== ERASED
}

/** Counts of what is kept nowhere. */
const UNCOUNTED = ['run_ends_dropped', 'run_events_expired', 'run_spans_late', 'run_spans_forgotten']

const ERASED = Math.floor((NOON - 9 * DAY_MS) / DAY_MS)

const BUCKETS: Readonly<Record<string, { readonly column: string; readonly ms: number }>> = {
  run_events: { column: 'ts', ms: 1 },
  run_parts: { column: 'ts', ms: 1 },
  run_scores: { column: 'ts', ms: 1 },
  rollup_minutes: { column: 'bucket', ms: 60_000 },
  rollup_hours: { column: 'bucket', ms: 3_600_000 },
  rollup_part_minutes: { column: 'bucket', ms: 60_000 },
  rollup_part_hours: { column: 'bucket', ms: 3_600_000 },
  rollup_score_minutes: { column: 'bucket', ms: 60_000 },
  rollup_part_task_hours: { column: 'bucket', ms: 3_600_000 },
  rollup_part_tenant_hours: { column: 'bucket', ms: 3_600_000 },
  rollup_score_hours: { column: 'bucket', ms: 3_600_000 },
  rollup_task_hours: { column: 'bucket', ms: 3_600_000 },
  rollup_tenant_hours: { column: 'bucket', ms: 3_600_000 },
  segment_hours: { column: 'bucket', ms: 3_600_000 },
  rollup_capability_hours: { column: 'bucket', ms: 3_600_000 },
  rollup_capability_minutes: { column: 'bucket', ms: 60_000 },
  rollup_latency_10m: { column: 'bucket', ms: 600_000 },
  rollup_latency_1d: { column: 'bucket', ms: DAY_MS },
  rollup_ttft_10m: { column: 'bucket', ms: 600_000 },
  rollup_ttft_1d: { column: 'bucket', ms: DAY_MS },
}
