import { ServiceError } from '../../base/errors.ts'
import { type Hash, type HashOf, hashOver, isSame, leafBytes } from './rules_merkle.ts'
import { inBackground } from '../../sql/deadline.ts'
import { type Sql, sql } from '../../sql/port.ts'
import { allRows, ask, asText, columns, field, firstRow } from '../../sql/query.ts'
import { HEAD, type LogRecord } from '../../ledger/trail/chain.ts'
import { digestAll } from '../../base/bytes.ts'
import { hex } from '../../base/text.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import { remembering } from '../../ledger/world/memo.ts'

/** The audit log as a Merkle tree: leaf n is the record_json of log_seq n + 1. */
export interface LogTree {
  readonly size: number
  /** Hash of the last entry. */
  readonly head: string
  readonly hashOf: HashOf
}

type TreeReads = Pick<Ledger, 'sql' | 'memo' | 'log'>

const BLOCK = 256
/** Entries that are read at a time: whole blocks. */
const PAGE = 4 * BLOCK

/**
 * The tree of the log as it is now. Every entry that goes into it has its hash and follows the one before, or this throws
 * 409: nothing is ever signed that does not hold. What a process has read once it keeps as one hash for 256 entries.
 */
export async function readTree(ledger: TreeReads): Promise<LogTree> {
  const db = inBackground(ledger.sql)
  const { log: end } = await ask(db, HEAD)
  if (end.seq === 0) throw emptyLog()
  const known = await knownBlocks(ledger, db, end.seq)
  const blocks = [...known.blocks]
  let [seq, hash, blocksEnd, tail]: [number, string, string, Hash[]] = [
    blocks.length * BLOCK,
    known.hash,
    known.hash,
    [],
  ]
  while (seq < end.seq) {
    const page = await verifiedPage(db, seq, Math.min(seq + PAGE, end.seq), hash)
    for (let from = 0; from < page.length; from += BLOCK) {
      const block = page.slice(from, from + BLOCK)
      const leaves = block.map(({ leaf }) => leaf)
      hash = block.at(-1)!.hash
      if (block.length < BLOCK) tail = leaves
      else {
        blocks.push(await hashOver(leaves))
        blocksEnd = hash
      }
    }
    seq += page.length
    remember(ledger, { blocks: [...blocks], hash: blocksEnd })
  }
  if (hash !== end.hash) throw broken(end.seq, 'the head of the log has another hash')
  return { size: end.seq, head: hash, hashOf: hashesOf(db, blocks, tail) }
}

/** Root and inner hashes: of whole blocks from what is kept, of parts of one from its entries. */
function hashesOf(db: Sql, blocks: readonly Hash[], tail: readonly Hash[]): HashOf {
  const known = new Map<number, readonly Hash[]>()
  const leavesOf = async (from: number, to: number): Promise<readonly Hash[]> => {
    const block = Math.floor(from / BLOCK)
    const first = block * BLOCK
    if (block >= blocks.length) return tail.slice(from - first, to - first)
    const leaves = known.get(block) ?? (await readBlock(db, first))
    if (!isSame(await hashOver(leaves), blocks[block]!))
      throw broken(first + 1, `an entry up to log_seq ${first + BLOCK} was changed after the service read it`)
    known.set(block, leaves)
    return leaves.slice(from - first, to - first)
  }
  return async (from, to) => {
    const whole = Math.floor(to / BLOCK)
    if (to - from < BLOCK) return hashOver(await leavesOf(from, to))
    const rest = to % BLOCK === 0 ? [] : [await hashOver(await leavesOf(whole * BLOCK, to))]
    return hashOver([...blocks.slice(from / BLOCK, whole), ...rest])
  }
}

/** The leaves of the entries behind one, as many as a block has. */
async function readBlock(db: Sql, after: number): Promise<readonly Hash[]> {
  const entries = sql`SELECT record_json FROM audit_log
    WHERE log_seq > ${after} AND log_seq <= ${after + BLOCK} ORDER BY log_seq`
  const texts = await ask(db, allRows(entries, field('record_json', asText)))
  return digestAll(texts.map(leafBytes))
}

/** What this process has read of the audit log as a Merkle tree. It names an entry that the ledger must still have. */
export const treeOf = remembering(newTreeCache)

/** What is kept, if the ledger still begins with it: one that was restored from a backup may not. */
async function knownBlocks(
  { memo, log }: Pick<Ledger, 'memo' | 'log'>,
  db: Sql,
  size: number,
): Promise<TreeCache> {
  const known = { ...treeOf(memo) }
  const last = known.blocks.length * BLOCK
  if (last === 0) return known
  if (last <= size && (await ask(db, hashOfEntry(last))) === known.hash) return known
  log('warn', 'the audit log is not the one that this process read before: it was restored, or rewritten', {
    log_seq: last,
  })
  Object.assign(treeOf(memo), newTreeCache())
  return newTreeCache()
}

function remember({ memo }: Pick<Ledger, 'memo'>, read: TreeCache): void {
  const tree = treeOf(memo)
  if (read.blocks.length > tree.blocks.length) Object.assign(tree, read)
}

interface Verified {
  readonly leaf: Hash
  readonly hash: string
}

/** The entries behind `after` up to and with `upTo`, which must follow the one with `previous` as its hash. */
async function verifiedPage(db: Sql, after: number, upTo: number, previous: string): Promise<Verified[]> {
  const entries = sql`SELECT record_json, hash FROM audit_log
    WHERE log_seq > ${after} AND log_seq <= ${upTo} ORDER BY log_seq`
  const rows = await ask(db, allRows(entries, columns({ record_json: asText, hash: asText })))
  const bytes = rows.map(({ record_json }) => leafBytes(record_json))
  const leaves = await digestAll(bytes)
  // Behind the first byte of a leaf is the entry itself.
  const hashes = await digestAll(bytes.map(leaf => leaf.subarray(1)))
  let last = previous
  const found = rows.map(({ record_json, hash: said }, index) => {
    const hash = hex(hashes[index]!)
    const { log_seq, prev_hash } = JSON.parse(record_json) as LogRecord
    if (said !== hash) throw broken(after + index + 1, 'its record does not match its hash')
    if (log_seq !== after + index + 1 || prev_hash !== last) {
      throw broken(after + index + 1, 'it does not follow the entry before it')
    }
    last = hash
    return { leaf: leaves[index]!, hash }
  })
  if (found.length !== upTo - after) throw broken(after + found.length + 1, 'it is missing')
  return found
}

function broken(logSeq: number, problem: string): ServiceError {
  return new ServiceError(
    409,
    `The audit log fails its checks at log_seq ${logSeq}: ${problem}; \`svc doctor\` says more.`,
  )
}

/** Hashes of full subtrees of the audit log that were read and found to hold, from the first one on. */
interface TreeCache {
  blocks: readonly Hash[]
  /** Hash of the entry that the last of them ends with. */
  hash: string
}

function newTreeCache(): TreeCache {
  return { blocks: [], hash: '' }
}

/**
 * What tells a ledger from all others: the first 32 hex digits of the hash of the first entry of its audit log, which
 * nobody can change without another name. Throws 409 where the log is empty.
 */
export async function ledgerId(db: Sql): Promise<string> {
  const first = await ask(db, hashOfEntry(1))
  if (first === undefined) throw emptyLog()
  return first.slice(0, 32)
}

function hashOfEntry(logSeq: number) {
  return firstRow(sql`SELECT hash FROM audit_log WHERE log_seq = ${logSeq}`, field('hash', asText))
}

function emptyLog(): ServiceError {
  return new ServiceError(409, 'The audit log is empty: the first change begins it.')
}
